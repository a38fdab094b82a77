"""The characters that join a name to a secret, as Markdown, addresses and HTML write them."""

_WRITTEN = {
    "_": (r"\_", "&lowbar;"),
    "-": (r"\-",),
    "=": ("%3d", "%3D", "&equals;", "&#61;", "&#x3d;", "&#x3D;"),
    ":": ("%3a", "%3A", "&colon;", "&#58;", "&#x3a;", "&#x3A;"),
    '"': ("%22", "&quot;", "&#34;", "&#x22;"),
    " ": ("%20",),
}
_FORMS = [(form, char) for char, forms in _WRITTEN.items() for form in forms]
_FIRST = ("\\", "%", "&")  # characters of the forms


def decoded(text: str) -> str:
    """Return a text with these characters as they are meant."""
    if any(map(text.__contains__, _FIRST)):
        for form, char in _FORMS:
            if form in text:
                text = text.replace(form, char)
    return text
