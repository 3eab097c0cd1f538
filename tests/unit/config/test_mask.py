from __future__ import annotations

import pytest

from harness.config.mask import mask


@pytest.mark.req("R-CFG-4")
@pytest.mark.parametrize("name", ["api_key", "apiKey", "API-KEY", "token", "auth_token", "password", "client_secret"])
def test_values_of_secret_names_are_masked(name: str) -> None:
    assert mask({"a": [{name: "hunter2"}]}) == {"a": [{name: "***"}]}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-abcdefghijklmnopqrstuvwx end", "key *** end"),
        ("Bearer abcdefghijkl", "***"),
        ("https://me:secret@host/x", "https***host/x"),
    ],
)
def test_texts_that_look_like_secrets_are_masked(text: str, masked: str) -> None:
    assert mask({"note": text}) == {"note": masked}


def test_limits_are_no_secrets() -> None:
    data = {"context_tokens": 5, "max_tokens": 3, "recent_tokens": 4, "name": "tokenizer", "token_counter": "a:b"}
    assert mask(dict(data)) == data


def test_paths_from_the_environment_and_headers_are_masked() -> None:
    assert mask({"a": {"b": 12, "c": 1}}, {("a", "b")}) == {"a": {"b": "***", "c": 1}}
    assert mask({"headers": {"X-Auth": "abc"}, "env": {"N": "v"}}) == {
        "headers": {"X-Auth": "***"},
        "env": {"N": "***"},
    }
