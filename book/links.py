"""Checks every link of a book that was built: python book/links.py FOLDER. What is outside of it is not looked at."""

import functools
import pathlib
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# Made by rustdoc, which checks its own links; here only those that lead there are.
NOT_READ = {"rust"}
# The page that a server shows for any address, whose links begin at its root.
NOT_FOUND = "404.html"


class Page(HTMLParser):
    """The links of a page, and the places in it that a link can name."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is not None and name in ("href", "src"):
                self.links.append(value)
            elif value is not None and name in ("id", "name"):
                self.places.add(value)


@functools.cache
def read(path: pathlib.Path) -> Page:
    return Page(path)


def fault(book: pathlib.Path, page: pathlib.Path, link: str) -> str | None:
    """What is wrong with a link."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(book):
        return "leads out of the book"
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    if target.suffix == ".html" and unquote(parts.fragment) not in read(target).places:
        return "no such place in that page"
    return None


def faults(book: pathlib.Path) -> tuple[list[str], int]:
    """A line for each broken link, and how many were checked."""
    book = book.resolve()
    found, checked = [], 0
    for path in sorted(book.rglob("*.html")):
        if path.relative_to(book).parts[0] in NOT_READ or path.name == NOT_FOUND:
            continue
        for link in read(path).links:
            checked += 1
            reason = fault(book, path, link)
            if reason:
                found.append(f"{path.relative_to(book)}: {link}: {reason}")
    return found, checked


def main() -> int:
    found, checked = faults(pathlib.Path(sys.argv[1]))
    print(*found, f"{checked} links, {len(found)} broken", sep="\n")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
