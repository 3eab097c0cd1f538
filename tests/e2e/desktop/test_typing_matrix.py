"""Text arrives exactly in every layout and toolkit: what counts is the file that the application saves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import pytest
from desktop_session import DesktopSession, joined
from text_apps import APPS, AppName, TextApp

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.layout import set_layout
from harness.controllers.desktop.virtual import VirtualDesktop
from harness.controllers.desktop.x11.backend import X11Backend

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

LIMIT_S: Final = 60
PANGRAMS: Final = {
    "latin": "Grêmio São €100: «Zwölf Boxkämpfer» jagen Viktor quer über den großen Sylter Deich, ½ ÿ Å þ Ð ¿¡ ©",
    "cyrillic": "Съешь же ещё этих мягких французских булок, да выпей чаю. ЇЄҐ Њ Ђ",
    "cjk": "你好，世界。日本語のテスト、カタカナも。한국어 문장입니다。敏捷的棕色狐狸",
    "emoji": "😀👍🏽👩\u200d👩\u200d👧\u200d👦🇩🇪❤\ufe0f🏳\ufe0f\u200d🌈 e\u0301 n\u0303 1\ufe0f\u20e3",
}


def mixed_text(length: int) -> str:
    """Return lines of about 60 characters, each from all of the scripts."""
    chance = random.Random(15)
    chars = [*"".join(PANGRAMS.values()), *map(chr, range(0x21, 0x7F))]
    words = ["".join(chance.choices(chars, k=chance.randrange(2, 9))) for _ in range(length)]
    lines = [" ".join(words[start : start + 10]) for start in range(0, length, 10)]
    # An editor may indent the line after one that begins with a blank.
    return "\n".join(line.strip() for line in lines)[: length - 1].rstrip()


TEXTS: Final = {
    "ascii": "".join(map(chr, range(0x21, 0x7F))),
    "latin": PANGRAMS["latin"] + "".join(map(chr, range(0xA1, 0x100))),
    "cyrillic": PANGRAMS["cyrillic"],
    "cjk": PANGRAMS["cjk"],
    "emoji": PANGRAMS["emoji"],
    "mixed": mixed_text(2000),
}


@pytest.fixture(scope="module")
def backend(virtual_desktop: VirtualDesktop) -> Iterator[X11Backend]:
    with joined(virtual_desktop.environment), closing(X11Backend(virtual_desktop.environment)) as made:
        yield made


@pytest.fixture(scope="module", params=APPS)
def app(
    request: pytest.FixtureRequest, virtual_desktop: VirtualDesktop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TextApp]:
    name: AppName = request.param
    with closing(DesktopSession(virtual_desktop)) as desktop:
        desktop.reset()
        yield TextApp(desktop, name, tmp_path_factory.mktemp(name))
        desktop.reset()


@pytest.fixture(scope="module", params=["us", "de", "fr"])
def layout(request: pytest.FixtureRequest, app: TextApp, virtual_desktop: VirtualDesktop) -> str:
    set_layout(virtual_desktop.environment, request.param)
    return str(request.param)


@pytest.mark.case("G15")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text_arrives_exactly(app: TextApp, layout: str, text: str, backend: X11Backend) -> None:
    before = app.file.read_text(encoding="utf-8")
    backend.keyboard.type_text(f"{text}\n", may_paste=False, deadline=Deadline(LIMIT_S))
    expected = f"{before}{text}\n"
    assert app.saved(backend.keyboard, expected) == expected


def test_the_mixed_text_is_what_it_says() -> None:
    assert 1950 <= len(TEXTS["mixed"]) < 2000
    assert all(set(script) - {" "} <= set(TEXTS["mixed"]) for script in PANGRAMS.values())
    assert len(TEXTS["ascii"]) == 94
