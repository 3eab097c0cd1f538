"""Requests of the X keyboard extension that python-xlib lacks, laid out as the XKB protocol's encoding says."""

from __future__ import annotations

from typing import Final

from Xlib.protocol import rq

EXTENSION: Final = "XKEYBOARD"
CORE_KEYBOARD: Final = 0x100
TYPES_AND_SYMBOLS: Final = 0b11
SYMBOLS: Final = 0b10


class UseExtension(rq.ReplyRequest):
    """Tell the server that we speak XKB; it answers nothing else before."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(0),
        rq.RequestLength(),
        rq.Card16("major"),
        rq.Card16("minor"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("is_supported"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card16("server_major"),
        rq.Card16("server_minor"),
        rq.Pad(20),
    )


class GetState(rq.ReplyRequest):
    """Ask which modifiers are held, latched and locked, and which group is active."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(4),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Pad(2),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("device_id"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card8("modifiers"),
        rq.Card8("base_modifiers"),
        rq.Card8("latched_modifiers"),
        rq.Card8("locked_modifiers"),
        rq.Card8("group"),
        rq.Card8("locked_group"),
        rq.Pad(18),
    )


class LatchLockState(rq.Request):
    """Set which modifiers are latched and locked."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(5),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card8("affected_locks"),
        rq.Card8("locks"),
        rq.Bool("is_group_locked"),
        rq.Card8("group_lock"),
        rq.Card8("affected_latches"),
        rq.Card8("latches"),
        rq.Pad(1),
        rq.Bool("is_group_latched"),
        rq.Card16("group_latch"),
    )


class GetMap(rq.ReplyRequest):
    """Ask for all key types and for the symbols of all keys."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(8),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("full"),
        rq.Pad(20),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("device_id"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Pad(2),
        rq.Card8("first_code"),
        rq.Card8("last_code"),
        rq.Card16("present"),
        rq.Card8("first_type"),
        rq.Card8("type_count"),
        rq.Card8("total_types"),
        rq.Card8("first_key"),
        rq.Card16("symbol_count"),
        rq.Card8("key_count"),
        rq.Pad(19),
        rq.Binary("data"),
    )


class SetMap(rq.Request):
    """Replace the symbols of a run of keys; their actions, modifiers and all other keys stay as they are."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(9),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("present"),
        rq.Card16("flags"),
        rq.Card8("first_code"),
        rq.Card8("last_code"),
        rq.Pad(2),
        rq.Card8("first_key"),
        rq.Card8("key_count"),
        rq.Card16("symbol_count"),
        rq.Pad(18),
        rq.Binary("data"),
    )
