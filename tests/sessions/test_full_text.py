"""Words in texts of any language, and a search that answers the same with and without its index."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import NAME
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions import full_text
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from tests.support import hooks
from tests.support import index as stored

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

# What is searched for, a text that has it, and one that has not.
TABLE = [
    ("検索", "全文検索を追加してください", "検証と索引"),
    ("검색", "검색을 추가해 주세요", "검은 색을 골라"),
    ("搜索", "请添加全文搜索功能", "搜集线索"),
    ("追", "追加する", "削除する"),
    ("ค้นหา", "เพิ่มการค้นหาข้อความ", "ลบไฟล์"),
    ("não", "isso não funciona", "isso funciona"),
    ("nao", "isso não funciona", "isso funciona"),
    ("descrição", "a descricao do produto", "o produto"),
    ("cafe\u0301", "un café noir", "un thé noir"),
    ("हिन्दी", "इसे हिन्दी में लिखो", "इसे लिखो"),
    ("й", "буква й здесь", "буква з здесь"),
    ("fetch", "rename fetchUser", "rename userCount"),
    ("fetchuser", "rename fetchUser", "fetch the other user"),
    ("fetchUser", "call fetch_user here", "call fetch here"),
    ("user", "call fetch_user here", "call fetch here"),
    ("fetch_user", "rename fetchUser", "rename fetchAll"),
    ("server", "class HTTPServer", "class HTTPClient"),
    ("cart", "look at src/shop/cart.py", "look at src/shop/till.py"),
    ("src/shop/cart.py", "look at src/shop/cart.py", "look at src/shop/till.py"),
    ("db", "the DB is slow", "the debugger is slow"),
    ("CI", "CI fails", "the circle fails"),
    ("invoic", "parse the invoices", "parse the orders"),
    ("re-run", "re-run the tests", "the tests run"),
    ('"NOT" near(', "it is not near here", "it is far away"),
]


def found(store: str, words: str) -> list[tuple[str, str, str]]:
    """Return what a search finds, in its order."""
    workspace = Workspace(paths.locate(str(Path(store).parents[1])))
    texts = full_text.search(sessions.survey(workspace), words)
    workspace.cache.database.close()
    return [(one.session, one.kind, one.text) for one in texts]


@pytest.mark.parametrize(("words", "text", "other"), TABLE, ids=[words for words, *_ in TABLE])
def test_words_of_many_languages_are_found(prepared: Project, words: str, text: str, other: str) -> None:
    """Also with the index, and only in the text that has them."""
    prepared.remember("one", {"kind": "prompt", "text": text})
    prepared.remember("two", {"kind": "prompt", "text": other})
    store = str(prepared.store)
    assert found(store, words) == [("one", "prompt", text)]
    (prepared.store / NAME).unlink()
    (prepared.store / NAME).mkdir()
    assert found(store, words) == [("one", "prompt", text)]


def test_tokens_are_identifiers_and_their_parts() -> None:
    """And words without their accents, and pairs of characters."""
    assert full_text.tokens("fetchUser") == ["fetchuser", "fetch", "user"]
    assert full_text.tokens("snake_case") == ["snakecase", "snake", "case"]
    assert full_text.tokens("src/cart.py") == ["src", "cart", "py"]
    assert full_text.tokens("Não") == ["não", "nao"]
    assert full_text.tokens("が検索") == ["が", "検", "索", "が検", "検索"]


def filled(project: Project) -> str:
    """Give a project several sessions and return its store."""
    for number in range(4):
        project.remember(
            f"s{number}",
            {"kind": "prompt", "text": f"parse the invoices of {number} branches\nand their totals"},
            {"kind": "answer", "text": f"The totals of {number} invoices are summed. " * (number + 1)},
            {"kind": "decided", "text": "Totals have two decimals"},
            {"kind": "loop", "id": "1", "title": "Which invoices count?", "status": "open"},
            {"kind": "edit", "path": f"src/invoices_{number}.py"},
            {"kind": "prompt", "text": "\ud800 half a pair of invoices"},
            at=1_700_000_000.0 + number,
        )
    return str(project.store)


QUERIES = ("invoices", "totals", "totals decimals", "invoic totals", "branches absent", "src/invoices_2.py", "absent")


def test_the_index_changes_no_answer(prepared: Project) -> None:
    """Whether it is new, used again, deleted, noise, a folder or locked."""
    store = filled(prepared)
    path = prepared.store / NAME
    path.unlink(missing_ok=True)
    path.mkdir()
    without = {words: found(store, words) for words in QUERIES}
    path.rmdir()
    assert without["absent"] == []
    assert all(without[words] for words in QUERIES[:-1])
    for _ in range(2):
        assert {words: found(store, words) for words in QUERIES} == without
    assert stored.rows(store, "select count(*) from texts") == [(24,)]
    path.write_bytes(b"noise" * 1000)
    assert {words: found(store, words) for words in QUERIES} == without
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    assert {words: found(store, words) for words in QUERIES} == without
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    assert found(store, "invoices") == without["invoices"]
    other.close()


def test_a_search_reads_what_was_written_since(prepared: Project) -> None:
    """And nothing of a journal that is gone."""
    store = filled(prepared)
    assert found(store, "currency") == []
    prepared.remember("s1", {"kind": "prompt", "text": "which currency?"})
    assert found(store, "currency") == [("s1", "prompt", "which currency?")]
    (prepared.store / "journal/s1.jsonl").unlink()
    assert found(store, "currency") == []
    assert stored.rows(store, "select count(*) from texts where session = 's1'") == [(0,)]


def test_a_journal_that_did_not_change_is_not_read_again(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index answers."""
    store = filled(prepared)
    before = found(store, "totals")
    monkeypatch.setattr(log, "read", lambda *_: pytest.fail("a journal is read"))
    assert found(store, "totals") == before
    assert found(store, "absent") == []


def test_the_best_match_is_first(prepared: Project) -> None:
    """A decision before an answer, the whole word before its beginning, the newer one of equal texts."""
    prepared.remember("one", {"kind": "answer", "text": "The retries are limited."}, at=1_700_000_000.0)
    prepared.remember("two", {"kind": "decided", "text": "Limit retries to three"}, at=1_700_000_001.0)
    prepared.remember("three", {"kind": "answer", "text": "The retries are limited."}, at=1_700_000_002.0)
    prepared.remember("four", {"kind": "answer", "text": "retriesable"}, at=1_700_000_003.0)
    assert [session for session, *_ in found(str(prepared.store), "retries")] == ["two", "three", "one", "four"]


def test_the_line_has_the_words() -> None:
    """Of several lines the first one with most of them."""
    text = "About invoices\n\n- the totals of invoices\n- totals"
    assert full_text.line_with(text, "totals invoices") == "- the totals of invoices"
    assert full_text.line_with("", "totals") == ""
