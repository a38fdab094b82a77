"""Random runs of letters and digits are masked without a name beside them; names, numbers and ids are not."""

from __future__ import annotations

import random
import string
import sys

import pytest

from holdfast import trust
from holdfast.trust import safe, secrets

_LETTERS = string.ascii_letters + string.digits
_COUNT, _DRAWS = 1000, 12
# Alphabet: its characters, the lengths of runs, and how many of a thousand may be missed.
ALPHABETS = {
    "hexadecimal": ("0123456789abcdef", (32, 64), 0),
    "hexadecimal capitals": ("0123456789ABCDEF", (32, 64), 0),
    "base62": (_LETTERS, (32, 40), 10),
    "base64": (_LETTERS + "+/", (32, 40, 44, 64, 88), 10),
    "base64url": (_LETTERS + "-_", (32, 43, 64), 10),
    "base36": (string.ascii_lowercase + string.digits, (32, 40, 64), 50),
    "base36 capitals": (string.ascii_uppercase + string.digits, (32, 40, 64), 50),
    "base32": (string.ascii_uppercase + "234567", (32, 52, 56), 50),
    "base32 in lower case": (string.ascii_lowercase + "234567", (32, 52), 50),
}
NAMES = [
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm",
    "_ZGVNSt7__cxx1110moneypunctIcLb0EE2idE",
    "_RNvCskwGfYPst2Cb_3foo16example_function",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft",
    "rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz2",
    "AbstractSingletonProxyFactoryBeanGeneratorV2Test",
    "getHttp2ConnectionPoolTimeoutInMilliseconds",
    "org-Apache-Commons_IOUtils-FileSystem_Reader2",
    "__init__subclass__registry__of__version2__handlers",
    "test_2025_parses_the_second_of_17_tables_3x3",
    "VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16",
    "_mm512_mask_cvtepi32_storeu_epi16_masked_move",
    "V4L2_MPEG_VIDEO_H264_LEVEL_1_0_CONSTRAINED_BASELINE",
    "src/components/Dashboard/widgets2/TimeSeriesChart",
    "plugin/holdfast/context/compaction/snapshots2026",
    "how-to-install-python-3-12-on-debian-12-with-pyenv",
    "https://host.example/articles/2026/03/how-to-parse-invoices-in-17-steps",
    "5e1e4a0c-7b1f-4f62-9a55-0d3a1b2c3d4e",
    "6d7dd27c0ffee6d7dd27c0ffee6d7dd27c0ffee0",
    "CC68F5A3106FF448322E48ED27F5E38D5B0A215F",
    "Change-Id: I7055d3ee3bd7ed5e78e94ae82cb858fa7db3ddc0",
    "12345678901234567890123456789012345",
    "/usr/lib/x86_64-linux-gnu/girepository-1/Gtk4Source5",
]


def _drawn(dice: random.Random, characters: str, length: int) -> str:
    return "".join(dice.choice(characters) for _ in range(length))


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_a_random_run_is_masked(alphabet: str) -> None:
    """At most one of a hundred is missed in mixed case, one of twenty in one case, and none of hexadecimal digits."""
    characters, lengths, allowed = ALPHABETS[alphabet]
    dice = random.Random(alphabet)  # noqa: S311 - keys that open nothing
    for length in lengths:
        found = [_drawn(dice, characters, length) for _ in range(_COUNT)]
        missed = [run for run in found if safe.mask(f"it is {run} now") != f"it is {safe.MASK} now"]
        assert len(missed) <= allowed, (length, missed[:5])


@pytest.mark.slow
@pytest.mark.parametrize("characters", [_LETTERS + "+/", _LETTERS + "-_"], ids=["base64", "base64url"])
def test_as_few_are_missed_in_any_draw(characters: str) -> None:
    """At most ten of a thousand short texts in base64 are missed, whichever thousand it is, and four on average."""
    for length in (32, 33, 36):
        all_missed = 0
        for seed in range(_DRAWS):
            dice = random.Random(seed * 7 + length)  # noqa: S311 - keys that open nothing
            found = [_drawn(dice, characters, length) for _ in range(_COUNT)]
            missed = [run for run in found if safe.mask(f"it is {run} now") != f"it is {safe.MASK} now"]
            assert len(missed) <= 10, (length, seed, missed[:5])
            all_missed += len(missed)
        assert all_missed <= 4 * _DRAWS


@pytest.mark.parametrize("run", ["FKbcSab4EDil2LiSMMDeT6uBe+inV+/k", "lAT/VGN4+IND3kgGgV1+Sh987EBcTOMw"])
def test_no_name_has_a_plus_between_its_letters(run: str) -> None:
    """Random characters in base64 do."""
    assert safe.mask(f"it is {run} now") == f"it is {safe.MASK} now"


def test_the_quick_look_sees_each_random_run() -> None:
    """What the patterns mask, `safe.mask` masks."""
    dice = random.Random(4)  # noqa: S311 - keys that open nothing
    for characters, lengths, _ in ALPHABETS.values():
        for around in ("{}", "a /{}", "see {}/", "x('{}')", "é{}", "{}==", "#{}$"):
            text = around.format(_drawn(dice, characters, lengths[0]))
            assert safe.mask(text) == secrets.masked(text, safe.MASK)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_not_random(name: str) -> None:
    """Names in code, mangled ones too, long words, paths, ids of commits and keys, and lists of letters stay."""
    for around in ("{}", "in `{}`.", "| {} |", "({}), and", "FUNC:{}@@GLIBCXX_3.4"):
        assert safe.mask(around.format(name)) == around.format(name)


@pytest.mark.parametrize(
    "text",
    [
        "state: .agents/sessions/20261125-051352-work-on-main.md",
        "session 5e1e4a0c-7b1f-4f62-9a55-0d3a1b2c3d4e ended",
    ],
)
def test_names_of_words_and_numbers_need_no_look_at_their_letters(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start shows paths of state files: the table of letters is not loaded for them."""
    monkeypatch.setitem(sys.modules, "holdfast.trust.randomness", None)
    monkeypatch.delattr(trust, "randomness", raising=False)
    assert safe.mask(text) == text


def test_a_long_word_in_lower_case_is_looked_at() -> None:
    """Letters that no language has in a row are a key also without digits between dashes."""
    assert safe.mask("it is 99-xqzvkjwpxgfhdbcmwt-zqxjvkwqpzgfvqkj now").count(safe.MASK) == 1
