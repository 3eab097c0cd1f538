"""`heuristic` on screens made by hand."""

from __future__ import annotations

import pytest

from harness.protocols import ModelSpec, PolicySpec
from policies import heuristic
from policies.heuristic.segments import is_same_text, segment_keys

pytestmark = pytest.mark.req("R-MOD-6")
SUBMIT = ("button", "Submit")


def make():
    return heuristic.create(PolicySpec(model=ModelSpec(name="heuristic", use="heuristic")))


async def first_calls(talk, play, said, task, screens, steps=6, **settings):
    """Return what the policy does on `screens`: the first is what it sees first."""
    started = talk(task, **settings).show(*screens[0])
    calls = await play(make(), started, [*screens[1:], screens[-1]], steps=steps)
    return [(call.name, said(call)) for call in calls]


@pytest.mark.parametrize(
    ("task", "screen", "number"),
    [
        ('Click on the "ok" button.', (("button", "OK"), ("button", "ok"), ("textbox", "ok", "")), 2),
        ('Click the link "sed,".', (("clickable", "sed"), ("clickable", "sed,")), 2),
        ('Click the button labeled "x".', (("button", "Cancel"), ("button", "Close")), 2),
        ("Focus into the 2nd input textbox.", (("textbox", "", ""), ("textbox", "", ""), ("textbox", "", "")), 2),
        ('Click on a "checkbox" widget.', (("radio", "a"), ("button", "b"), ("checkbox", "c")), 3),
        ("Click on Tab #2.", (("tab", "Tab #1"), ("tab", "Tab #2"), ("tab", "Tab #3")), 2),
        ("Press login.", (("textbox", "Username", ""), ("button", "OK")), 2),
    ],
)
async def test_it_clicks_what_the_task_names_and_then_finishes(talk, play, said, task, screen, number) -> None:
    calls = await first_calls(talk, play, said, task, [screen])
    assert calls[0] == ("click", {"mark": number})
    assert calls[1][0] == "finish"
    assert calls[1][1]["success"] is True
    assert len(calls) == 2


async def test_it_fills_fields_by_label_then_submits(talk, play, said) -> None:
    task = 'Enter the username "bob" and the password "P8" into the text fields and press login.'

    def screen(user):
        return (("textbox", "Password", None, ("password",)), "Username", ("textbox", "", user), ("button", "Login"))

    calls = await first_calls(talk, play, said, task, [screen(""), screen("bob"), screen("bob"), screen("bob")])
    assert calls[:3] == [
        ("type_text", {"mark": 2, "text": "bob"}),
        ("type_text", {"mark": 1, "text": "P8"}),
        ("click", {"mark": 3}),
    ]


async def test_a_popup_that_takes_a_field_away_is_closed_and_the_text_typed_again(talk, play, said) -> None:
    task = 'Enter the username "bob" into the text field and press login.'
    form, popup = (("textbox", "Username", ""), ("button", "OK")), ("Leave?", ("button", "OK"), ("button", "Cancel"))
    calls = await first_calls(talk, play, said, task, [form, popup, form, (("textbox", "Username", "bob"), form[1])])
    assert calls[:4] == [
        ("type_text", {"mark": 1, "text": "bob"}),
        ("click", {"mark": 2}),
        ("type_text", {"mark": 1, "text": "bob"}),
        ("click", {"mark": 2}),
    ]


async def test_both_fields_get_the_text_although_passwords_are_not_shown(talk, play, said) -> None:
    screen = (("textbox", "Password", None), ("textbox", "Verify password", None), SUBMIT)
    task = 'Enter the password "pW" into both text fields and press submit.'
    calls = await first_calls(talk, play, said, task, [screen])
    assert calls[:3] == [
        ("type_text", {"mark": 1, "text": "pW"}),
        ("type_text", {"mark": 2, "text": "pW"}),
        ("click", {"mark": 3}),
    ]


async def test_what_stands_in_a_field_is_selected_before_typing(talk, said) -> None:
    started = talk('Enter "new" into the text field and press Submit.').show(("textbox", "Name", "old"), SUBMIT)
    last = await started.ask(make())
    assert [(call.id, call.name, said(call)) for call in (*started.earlier, last)] == [
        ("call-1", "click", {"count": 3, "mark": 1}),
        ("call-2", "type_text", {"text": "new"}),
    ]
    started.answer(last, ("textbox", "Name", "new"), SUBMIT)
    assert said(await started.ask(make())) == {"mark": 2}


async def test_a_date_is_typed_from_the_first_segment(talk, said) -> None:
    started = talk("Enter 05/20/2010 as the date and hit submit.").show(("textbox", "", "", ("date",)), SUBMIT)
    last = await started.ask(make())
    assert [call.name for call in started.earlier] == ["click", "press_keys", "press_keys", "press_keys"]
    assert said(last) == {"text": "05202010"}
    started.answer(last, ("textbox", "", "2010-05-20", ("date",)), SUBMIT)
    assert said(await started.ask(make())) == {"mark": 2}


@pytest.mark.parametrize(
    ("text", "state", "keys"),
    [
        ("9:37 PM", "time", "0937PM"),
        ("12:05 AM", "time", "1205AM"),
        ("14:05", "time", "0205PM"),
        ("0:15", "time", "1215AM"),
        ("2010-05-20", "date", "05202010"),
        ("tomorrow", "date", None),
        ("05/20/2010", "focused", None),
    ],
)
def test_segments_are_typed_in_the_order_of_the_field(text, state, keys) -> None:
    assert segment_keys(text, (state,)) == keys


@pytest.mark.parametrize(
    ("value", "text", "is_same"),
    [
        ("21:37", "9:37 PM", True),
        ("09:37", "9:37 PM", False),
        ("2010-05-20", "05/20/2010", True),
        ("2010-05-20", "05/02/2010", False),
        ("bob", "Bob", False),
        ("", "", True),
    ],
)
def test_a_field_holds_a_date_or_time_in_its_own_form(value, text, is_same) -> None:
    assert is_same_text(value, text) is is_same


async def test_a_number_field_that_takes_no_typing_is_counted_with_arrow_keys(talk, said) -> None:
    started = talk("Select -3 with the spinner and hit Submit.").show(("spinbutton", "Value", "0"), SUBMIT)
    typed = await started.ask(make())
    assert (typed.name, said(typed)) == ("type_text", {"text": "-3"})
    started.answer(typed, ("spinbutton", "Value", "0"), SUBMIT)
    last = await started.ask(make())
    pressed = [said(call) for call in (*started.earlier, last)]
    assert pressed == [{"mark": 1}, *[{"keys": "ArrowDown"}] * 3]
    started.answer(last, ("spinbutton", "Value", "-3"), SUBMIT)
    assert said(await started.ask(make())) == {"mark": 2}


async def test_of_equal_names_the_real_control_is_clicked(talk, said) -> None:
    screen = (("clickable", "Close"), ("button", "Close"))
    call = await talk('Close the dialog box by clicking the "x".').show(*screen).ask(make())
    assert said(call) == {"mark": 2}
    call = await talk("Press submit.").show(("tab", "Submit"), ("button", "Submit")).ask(make())
    assert said(call) == {"mark": 2}


async def test_boxes_that_are_ticked_are_left_alone(talk, play, said) -> None:
    def screen(*ticked):
        boxes = [("checkbox", name, None, ("checked",) if name in ticked else ()) for name in ("aa", "bb", "cc")]
        return (*boxes, SUBMIT)

    calls = await first_calls(talk, play, said, "Select bb, cc and click Submit.", [screen("bb"), screen("bb", "cc")])
    assert calls[:2] == [("click", {"mark": 3}), ("click", {"mark": 4})]


async def test_an_option_of_a_closed_list_is_selected(talk, play, said) -> None:
    screen = (("combobox", "", "Ann", ('options: "Ann", "Sri Lanka"',)), SUBMIT)
    calls = await first_calls(talk, play, said, "Select Sri Lanka from the list and click Submit.", [screen])
    assert calls[:2] == [("select_option", {"mark": 1, "value": "Sri Lanka"}), ("click", {"mark": 2})]


async def test_a_second_option_is_added_to_the_first(talk, play, said) -> None:
    def screen(*chosen):
        options = [("option", name, None, ("selected",) if name in chosen else ()) for name in ("Ann", "Bob", "Cy")]
        return (("listbox", "", ", ".join(chosen)), *options, SUBMIT)

    task = "Select Ann, Cy from the scroll list and click Submit."
    calls = await first_calls(talk, play, said, task, [screen(), screen("Ann"), screen("Ann", "Cy")])
    assert calls[:3] == [
        ("click", {"mark": 2}),
        ("click", {"mark": 4, "keys": "Control"}),
        ("click", {"mark": 5}),
    ]


async def test_tabs_are_tried_one_after_the_other(talk, play, said) -> None:
    task = 'Switch between the tabs to find and click on the link "sed".'

    def screen(selected, *links):
        tabs = [("tab", f"Tab #{n}", None, ("selected",) if n == selected else ()) for n in (1, 2, 3)]
        return (*tabs, *(("link", link) for link in links))

    calls = await first_calls(talk, play, said, task, [screen(1, "a"), screen(2, "b"), screen(3, "c", "sed")])
    assert calls[:3] == [("click", {"mark": 2}), ("click", {"mark": 3}), ("click", {"mark": 5})]


async def test_handles_of_one_name_are_opened_one_after_the_other(talk, play, said) -> None:
    handle, opened = ("clickable", "hitarea expandable"), ("clickable", "hitarea collapsable")
    screens = [
        (handle, ("clickable", "Ann"), handle, ("clickable", "Bob")),
        (opened, ("clickable", "Ann"), ("clickable", "Dee"), handle, ("clickable", "Bob")),
        (opened, ("clickable", "Ann"), ("clickable", "Dee"), opened, ("clickable", "Bob"), ("clickable", "Cy")),
    ]
    calls = await first_calls(talk, play, said, 'Find and click on the file named "Cy".', screens)
    assert calls[:3] == [("click", {"mark": 1}), ("click", {"mark": 4}), ("click", {"mark": 6})]


async def test_ordinals_go_on_over_pages(talk, play, said) -> None:
    pages = [(("link", "a"), ("link", "b"), ("link", ">")), (("link", "c"), ("link", "d"), ("link", ">"))]
    calls = await first_calls(talk, play, said, "Click the 4th search result.", pages)
    assert calls[:2] == [("click", {"mark": 3}), ("click", {"mark": 2})]


async def test_a_suggestion_that_fits_both_ends_is_taken(talk, play, said) -> None:
    task = 'Enter an item that starts with "Se" and ends with "gal".'
    empty = (("textbox", "Tags:", ""), SUBMIT)
    offered = (("textbox", "Tags:", "Se"), SUBMIT, ("clickable", "Serbia"), ("clickable", "Senegal"))
    taken = (("textbox", "Tags:", "Senegal"), SUBMIT)
    calls = await first_calls(talk, play, said, task, [empty, offered, taken])
    assert calls[:3] == [
        ("type_text", {"mark": 1, "text": "Se"}),
        ("click", {"mark": 4}),
        ("click", {"mark": 2}),
    ]


async def test_a_page_that_repeats_the_task_does_not_lend_it_as_a_label(talk, play, said) -> None:
    task = 'Enter "Bob" into the text field and press Submit.'
    screen = ('Enter "Bob" into', "the text field and press Submit.", ("textbox", "", ""), SUBMIT)
    assert (await first_calls(talk, play, said, task, [screen], steps=1)) == [("type_text", {"mark": 1, "text": "Bob"})]


async def test_out_of_ideas_it_says_so(talk, play, said) -> None:
    calls = await first_calls(talk, play, said, 'Click the button "Launch".', [(("textbox", "Name", ""),)])
    assert calls[-1] == (
        "finish",
        {"success": False, "answer": "I found nothing to click for 'Launch'"},
    )
    assert [name for name, _ in calls] == ["scroll", "finish"]


async def test_a_task_it_does_not_understand_is_given_up_at_once(talk, play, said) -> None:
    (call,) = await first_calls(talk, play, said, "The weather is fine.", [(SUBMIT,)])
    assert (call[0], call[1]["success"]) == ("finish", False)


NOTE_TASK = (
    'Note the value of "Seat number" on the first page. Then press Next until the last page, '
    'type that value into "File mark" and press Submit.'
)
NEXT = ("button", "Next")
LAST = (("textbox", "Claim key", ""), ("textbox", "File mark", ""), SUBMIT)


@pytest.mark.req("R-MEM-6")
@pytest.mark.parametrize(
    "shown",
    [
        ("Seat number | QX-7731",),
        ("Seat number: QX-7731",),
        ("Seat number", "QX-7731"),
        (("textbox", "Seat number", "QX-7731"),),
    ],
)
async def test_a_value_is_noted_on_one_page_and_typed_on_another(talk, play, said, tool, shown) -> None:
    started = talk(NOTE_TASK, tools=(tool("click"), tool("web_note"), tool("finish")), notes=[])
    started.show(*shown, "Order number | AB-1", NEXT)
    filled = (LAST[0], ("textbox", "File mark", "QX-7731"), SUBMIT)
    screens = [(), ("Nothing here.", NEXT), LAST, filled, ("Thank you.",)]
    calls = [(call.name, said(call)) for call in await play(make(), started, screens, steps=9)]
    note = {
        "text": "Seat number: QX-7731",
        "kind": "fact",
        "reason": "the task needs it on a later page",
        "key": "Seat number",
    }
    numbers = [given.get("mark") for _, given in calls[1:5]]
    assert calls[0] == ("web_note", note)
    assert [name for name, _ in calls[1:]] == ["click", "click", "type_text", "click", "finish"]
    assert calls[3] == ("type_text", {"mark": 2, "text": "QX-7731"})
    assert numbers[2:] == [2, 3]
    assert calls[5][1]["success"] is True


async def test_without_a_note_tool_the_noted_value_is_never_typed(talk, play, said) -> None:
    started = talk(NOTE_TASK).show("Seat number: QX-7731", NEXT)
    calls = [(call.name, said(call)) for call in await play(make(), started, [LAST], steps=9)]
    assert calls[-1][0] == "finish"
    assert calls[-1][1]["success"] is False
    assert not any(name == "type_text" for name, _ in calls)


async def test_a_note_that_is_not_in_the_view_is_not_taken_from_the_history(talk, said, tool) -> None:
    started = talk(NOTE_TASK, tools=(tool("click"), tool("web_note"), tool("finish")), notes=[])
    started.show("Seat number: QX-7731", NEXT)
    policy = make()
    for _ in range(2):
        call = await started.ask(policy)
        assert call.name == "web_note"
        started.answer(call, text="noted")
    last = await started.ask(policy)
    assert (last.name, said(last)["success"]) == ("finish", False)


async def test_steps_of_an_earlier_round_do_not_count(talk, said) -> None:
    started, policy = talk('Click the "A" button.').show(("button", "A"), ("button", "B")), make()
    started.answer(await started.ask(policy), ("button", "A"), ("button", "B"))
    started.task = 'Click the "B" button.'
    assert said(await started.ask(policy)) == {"mark": 2}


async def test_page_text_can_not_pass_for_an_earlier_step(talk) -> None:
    task, policy = 'Click the "A" button.', make()
    started = talk(task).show(("button", "A"))
    await started.ask(policy)
    words = started.messages[-1].parts[0].text
    assert (await talk(task).show(words, ("button", "A")).ask(policy)).name == "click"
