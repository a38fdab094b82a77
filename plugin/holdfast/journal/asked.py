"""What a prompt asks for: greetings, assent and "go on" ask for nothing that a session could be named after."""

from holdfast.core.patterns import pattern
from holdfast.core.words import words

# Words that greet, thank, agree or refuse, in the languages that people write to coding clients in.
_POLITE_WORDS = """
    hi hello hey hiya howdy yo greetings good morning afternoon evening night day there everyone all team claude
    thanks thank thx ty cheers much very so many well done nice great perfect awesome excellent cool super lovely wow
    yes yeah yep yup y sure ok okay k kk right correct exactly agreed fine alright absolutely definitely indeed no nope
    n not please pls sorry welcome bye you u re i m and oh ah hmm um again
    hallo moin servus guten morgen tag abend danke dankeschön vielen dank bitte ja jawohl jep nein genau gut okey
    einverstanden passt klar gerne prima toll sehr und
    bonjour salut bonsoir coucou merci beaucoup oui ouais non svp accord parfait bien très et
    hola buenos buenas días dias tardes noches gracias muchas sí si por favor vale bueno perfecto claro y
    ciao buongiorno buonasera grazie mille sì va bene perfetto certo
    olá ola oi bom dia boa tarde noite obrigado obrigada sim não nao ok
    hoi goedemorgen goedemiddag dag bedankt dank je wel ja nee graag prima
    cześć czesc dzień dobry dziękuję dzieki dzięki tak nie proszę
    hej god morgon tack nej bra
    привет здравствуйте здравствуй добрый день утро вечер спасибо да нет хорошо ок ладно пожалуйста
    привіт дякую так ні
    你好 您好 早上好 谢谢 谢谢你 谢谢您 好 好的 是 是的 对 对的 不 不是 可以 行 没问题 你好啊
    こんにちは おはよう おはようございます こんばんは ありがとう ありがとうございます はい いいえ うん お願いします
    了解 了解です いいね
    안녕 안녕하세요 감사합니다 고마워 고맙습니다 네 예 아니요 좋아 좋아요 부탁해요
    नमस्ते धन्यवाद शुक्रिया हाँ हां जी नहीं ठीक है
    مرحبا السلام عليكم شكرا نعم لا حسنا
    merhaba selam teşekkürler teşekkür ederim evet hay\u0131r tamam lütfen
    שלום תודה כן לא בסדר
"""
# Words that only refer to earlier messages.
_POINTING_WORDS = """
    go on ahead continue proceed carry keep going resume next try retry more do does did it that this them those
    these fix run make just now then let s us lets me we the a an one ones first second third last both either option
    number way same as to is are works work looks look sounds lgtm done for with of up start begin yours could
    would can pode puede puedes ready approve approved accept accepted finish finished image stop wait
    weiter weitermachen weitergehen mach machen mache los fahr fort das es dies so mal noch nochmal beheb behebe behebs
    reparier repariere leg
    continue continuez vas allez fais le la ça ca cela corrige corrigez
    sigue seguir seguimos continuamos continúa continua adelante hazlo hágalo arréglalo arreglalo eso procede
    continua continuare vai avanti procedi fallo correggilo
    continue continua continuar continuando seguir prossiga siga faça faz isso corrige
    ga door verder doe dat het maar
    kontynuuj dalej zrób to napraw
    fortsätt kör
    продолжай продолжи продолжить дальше давай сделай это исправь исправьте далее
    продовжуй далі
    继续 继续吧 继续做 继续进行 请继续 接着 接着做 接着来 修复 修复它 修一下 做吧 开始 开始吧 执行 再试一次
    続けて 続けてください 続けて下さい 続き 続きを 続きから 続きをお願いします 進めて
    進めてください 直して 直してください やって もう一度
    계속 계속해 계속해줘 계속해라 계속하라 계속하자 계속하세요 진행 진행해 진행해줘 진행하라 진행하자 진행하세요
    고쳐줘 해줘 이어서 이어서해줘 이어가자
    जारी रखें रखो आगे बढ़ें करो
    تابع استمر أكمل أصلحه
    devam et düzelt yap
    המשך תמשיך תקן
"""
# Words of a question that asks how the work is, such as "what is open here?", and names none.
_STATE_WORDS = """
    what whats which where when how far much many open here left remaining pending todo todos status state yesterday
    today last happened still any anything has have been was were did doing working off stopped our project session my
    help assist like want need
    offen hier wo waren wir gestern heute noch zuletzt stand status steht gibt wie weit was übrig ist sind
    quoi où reste ouvert hier état qué dónde queda pendiente abierto ayer estado
"""
_JOINING = frozenset("and so very much und et y e m u".split())  # noqa: SIM905 - words that only lead on
_PASSING = 45  # characters of a question that may be asked in passing
_OWN = 3  # words of its own in a request with substance
_LONG = 8  # letters of a word in a language without blanks between words
_POLITE, _POINTING = frozenset(_POLITE_WORDS.split()), frozenset(_POINTING_WORDS.split())
_STATE = frozenset(_STATE_WORDS.split())
_BULLETS = frozenset(("- ", "* ", "+ "))
_ASKING = ("?", "\uff1f")
_ENDS = frozenset(".!?\u3002\uff01\uff1f")  # of a sentence
# Only a file to be read before the work, such as "read NOTES.md" or "@NOTES.md".
_READING = pattern(
    r"(?i)^(?:(?:please |first )*(?:read|see|check|lies|lis|lee|leia|leggi|看|读|阅读) )?@?[\w./-]*\w\.[a-z]\w{0,4}$"
)
_BETWEEN_CLAUSES = frozenset(",.!?;:\u2013\u2014\u3001\u3002\uff0c\uff01")


def is_request(prompt: str) -> bool:
    """Whether a prompt asks for something by name: it has a word that is no number, politeness or pointer."""
    return bool(own_words(prompt)) and not _asks_of_work(prompt)


def _asks_of_work(prompt: str) -> bool:
    """Whether a prompt is a question that asks how the work is, and names none."""
    own = own_words(prompt)
    return is_question(prompt) and bool(own) and all(word in _STATE for word in own)


def is_question(prompt: str) -> bool:
    """Whether a prompt is one question and nothing else."""
    return prompt.rstrip().endswith(_ASKING) and not any(mark in prompt.strip() for mark in (". ", "! ", "\n"))


def own_words(text: str) -> list[str]:
    """Return the words of a text that are no number, politeness or pointer."""
    return [word for word in words(text) if not (word in _POLITE or word in _POINTING or word.isdecimal())]


def answers(prompt: str) -> bool:
    """Whether a prompt begins with a word of assent, refusal or thanks."""
    return any(word in _POLITE and word not in _JOINING for word in words(prompt)[:1])


def goes_on(prompt: str) -> bool:
    """Whether a prompt says more than a greeting: it refers to earlier messages, such as "go on"."""
    return any(word not in _POLITE for word in words(prompt)) and not _asks_of_work(prompt)


def in_passing(prompt: str) -> bool:
    """Whether a prompt is a short question, such as "which port is that?"."""
    return len(prompt) < _PASSING and prompt.rstrip().endswith(_ASKING)


def has_substance(prompt: str) -> bool:
    """Whether a prompt says more than "I like it. implement it": it has several words of its own, or a long one."""
    own = own_words(prompt)
    return len(own) >= _OWN or any(len(word) >= _LONG and not word.isascii() for word in own)


def title(request: str) -> str:
    """Return a request without the greeting, the assent or the file to be read with which it begins, and bullets."""
    rest = "\n".join(line[2:] if line[:2] in _BULLETS else line for line in request.splitlines())
    while not _is_name(rest) and (clauses := _first_clause(rest)):
        opening, following = clauses
        is_polite = all(word in _POLITE for word in words(opening))
        if not (is_polite or _READING.match(opening)) or not is_request(following):
            break
        rest = following
    return rest.strip()


def short(title: str, most: int) -> str:
    """Return a title of at most so many characters: the sentences that fit, else as many words, with an ellipsis.

    A label that would fill it gives way to what it leads to.
    """
    label, mark, rest = title.partition(": ")
    fills = bool(mark) and most * 5 // 6 < len(label) < most  # a shorter one says what the rest is about
    if len(title) > most and fills and has_substance(rest):
        title = rest
    if len(title) <= most:
        return title
    marks = [at for at, char in enumerate(title[:most]) if char in _ENDS]
    ends = [at for at in marks if title[at] > "\u3000" or title[at + 1].isspace()]
    whole = next((title[: at + 1] for at in reversed(ends) if has_substance(title[:at])), "")
    if whole:
        return whole.rstrip(".\u3002")
    head = title[: most - 1]
    cut = head if title[most - 1].isspace() else head.rpartition(" ")[0]
    return (cut if len(cut) > most // 2 else head).rstrip(" ,;:-\u2013\u2014(") + "\u2026"


def _is_name(text: str) -> bool:
    """Whether a text begins with a name such as ".env"."""
    return text[:1] == "." and text[1:2].isalnum()


def _first_clause(text: str) -> tuple[str, str] | None:
    """Return what comes before the first punctuation between clauses, and what follows it; None without any."""
    marks = (at for at, char in enumerate(text) if char in _BETWEEN_CLAUSES)
    mark = next((at for at in marks if text[at] not in ".:" or not text[at + 1 : at + 2].isalnum()), None)
    if mark is None:
        return None
    end = mark
    while end < len(text) and (text[end] in _BETWEEN_CLAUSES or text[end].isspace()) and not _is_name(text[end:]):
        end += 1
    return text[:mark].rstrip(), text[end:]
