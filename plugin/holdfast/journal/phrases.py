"""Words that mark a sentence worth quoting, in the languages that people write to coding clients in.

They choose what is quoted, never what it means. Each group has whole words, beginnings of words, and parts of a text:
phrases, and words of languages that put no blanks between words.
"""

_PARTING = str.maketrans("'-", "  ")  # in a word of a phrase
_NO_BLANKS = "\u1100"  # from here on scripts put no blanks between words, or endings on them


class Phrases:
    """A group of words; `count` says how many different ones a text has. Everything is in lower case.

    An asterisk in a phrase is for any words between.
    """

    def __init__(self, words: str = "", beginnings: str = "", parts: str = "") -> None:
        self._words = frozenset(words.split())
        self._beginnings = tuple(beginnings.split())
        self._known = tuple(part.strip() for part in parts.replace("\n", ",").split(",") if part.strip())
        self._phrases: list[list[str]] | None = None  # those of whole words, with a blank on each side
        self._parts: list[list[str]] = []  # those of languages without blanks

    def count(self, text: str, words: list[str]) -> int:
        """Return how many of the group a text has; `words` are its words in lower case."""
        if self._phrases is None:
            known = [part.translate(_PARTING).split("*") for part in self._known if part < _NO_BLANKS]
            self._phrases = [[_spaced(one.split()) for one in parts] for parts in known]
            self._parts = [part.split("*") for part in self._known if part >= _NO_BLANKS]
        whole = len(self._words.intersection(words))
        begun = sum(word.startswith(self._beginnings) for word in set(words)) if self._beginnings else 0
        low, spaced = text.casefold(), _spaced(words)
        phrases = sum(_follow(one, spaced) for one in self._phrases)
        return whole + begun + phrases + sum(_follow(one, low) for one in self._parts)


def _spaced(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _follow(parts: list[str], text: str) -> bool:
    """Whether the parts of a phrase follow each other in a text."""
    for part in parts:
        _, mark, text = text.partition(part)
        if not mark:
            return False
        text = f" {text}"
    return True


# A person corrects, forbids, prefers or takes something over, wherever this is in a sentence.
CORRECTING = Phrases(
    "instead rather prefer myself statt stattdessen lieber sondern prefiro prefiero plutôt préfère invece preferisco "
    "вместо лучше",
    "",
    """
    from now on, i'll do, i'll write, i'll run, i'll handle, i'll take, i will do, for now
    that's wrong, that is wrong
    not what i, must not, must stay, must never, must always, should never, should always, you must
    we never, we always
    mejor usa, mejor usar, mejor con, mejor en, mejor sin, siempre en, siempre con
    sempre em, sempre com, immer in, immer mit, bitte nichts, bitte * nichts, bitte kein
    bitte keine, nicht anfassen, finger weg
    only touch, only change, only edit, only use, only run, only write, only fix
    like that, i don't want, we don't want, i don't like
    ab jetzt, ich mache das, mache ich selbst, mach ich selbst, mach ich, ich will kein, wir wollen kein
    em vez, eu faço, deixa comigo, a partir de agora, não quero, en vez, en lugar, yo lo hago, a partir de ahora
    no quiero, no lo toques, no los toques, no la toques, no las toques, au lieu, je m'en occupe
    à partir de maintenant
    지 마, 지마, 말고, 말아, 절대, 직접 할, 직접 하, 대신, 로만, 만 써, 만 사용, 항상 써, 꼭
    ないで, ではなく, じゃなく, 代わりに, 必ず, やめて, いや、, 自分で, だけにして, 禁止, たくない, 常に使, のままに
    不要, 别用, 别动, 别改, 别再, 现在别, 先别, 请勿, 千万, 而不是, 由我来, 由我决定, 要设置成, 不对。, 不许
    不用再, 而是, 我自己, 改成, 禁止, 永远不, 必须, 一律, 以后都, 别急着, 只能, 只改, 只用, 不能丢, 不能少
    不对\uff0c, 真正的在, 一切, 方式に戻, デフォルトにする, だけ使, だけ変更, のみ変更, してからに, 반드시, 하지 않도록
    지 말
    """,
)
# A clause that begins with one of these words orders or forbids, unless the next word makes it a report.
ORDERING = frozenset(
    """
    don never always no not stop avoid keep leave revert undo forget without
    nein nicht nie niemals immer kein keine keinen vergiss lass nur ohne
    não nunca sempre apenas somente só esquece esqueça deixa deixe sem
    siempre olvida deja deje solo sólo sin mejor
    ne n jamais toujours oublie laisse seulement sans mai sempre solo senza dimentica
    нет не никогда всегда только
    """.split()  # noqa: SIM905 - a list of words in several languages
)
REPORTING = frozenset(
    """
    but sure really yet bad problem idea
    more need worries rush clue question questions changes thanks errors error going up
    one two three four a an working possible much many enough only good at all entirely quite here there
    mehr problem ahnung fehler schlimm ganz sicher wirklich zwei drei ein eine gut
    tenho temos tengo tenemos
    sei entendi funciona consigo tem há é está deu aparece carrega sabia vi lembro dá foi era precisa problema
    sé entiendo puedo hay es está tiene sale aparece encuentro veo carga va fue pasa problema
    y a sais знаю работает могу понимаю проблема
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# Words before an order that do not count.
BEFORE_ORDERS = frozenset(
    """
    please and but so ok okay then actually also hmm well oh just yes no nope good nice
    bitte und aber also ja nein gut dann
    por favor e mas então y pero entonces que sim sí et mais donc
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# Something was taken back or given up, by the word of the one who did it.
TAKEN_BACK = Phrases(
    "reverted undid scrapped ditched zurückgenommen zurückgegangen zurückgerollt zurückgedreht sackgasse "
    "desisti descartei abandonei desfiz reverti descarté desistí abandoné revertí deshice renoncé "
    "rinunciato scartato",
    "",
    """
    gave up on, gave it up, given up on, i gave up, we gave up, dead end, ruled out, decided against, not an option
    threw away, threw it away, threw that away, dropped the idea, dropped that, dropped it, dropped this
    abandoned the idea, abandoned the approach, abandoned that, abandoned it, i abandoned, we abandoned
    i discarded, discarded the idea, discarded that, backed out, backed it out, backed that out
    made it worse, made things worse, made no difference, made little difference, to no avail, was a mistake
    rolled back the, rolled it back, rolled that back, i rolled back, we rolled back, undone again, took it out
    took that out, taken out again, gone again, put it back, put that back, went back to, switched back, moved back
    not worth it, no improvement, did not help, didn't help, had no effect, bad idea, removed it again
    did not pan out, didn't pan out, did not lead anywhere, led nowhere, i put * back, put * back in
    made it * worse, dropped the * again, dropped that * again, and i removed it, and removed it
    removed that * again, took that * out again, took the * out again
    decided not to, i avoided, rejected the, i rejected, chose not to, bewusst nicht
    is reverted, was reverted, are reverted, no good, had to go, failed attempt, failed attempts, stuck with the old
    habe ich verworfen, haben wir verworfen, ich verworfen, wieder verworfen, habe ich aufgegeben, wieder aufgegeben
    wieder ausgebaut, wieder entfernt, wieder rausgenommen, rückgängig gemacht, wieder zurückgebaut, wieder zurück
    bin ich wieder auf, bin wieder auf, nichts gebracht, brachte nichts, keinen unterschied, half nicht
    hat nicht geholfen, führte zu nichts, kam nicht in frage, hilft nicht, wieder gelöscht
    wieder gestrichen, wieder verworfen, keine gute idee, ein irrweg, half nichts, hat nichts geholfen
    má ideia, não valeu a pena, não teve jeito, não teve efeito, não fez diferença, eu tirei, não deu certo
    não deu para, não adiantou, voltei atrás, deixei de lado, não ajudou, não resolveu o
    mala idea, no hubo manera, no hubo forma, no valió la pena, no cambió nada, di marcha atrás, me rendí
    no dio resultado, lo quité, la quité, quité el, quité la, lo descarté, la descarté, no ayudó
    n'a rien changé, n'a pas aidé, suis revenu en arrière, ai annulé, ai abandonné, tornato indietro, ho annullato
    포기, 되돌렸, 철회, 원복했, 쓰지 않기로, 하지 않기로, 접었, 보류했, 보류합, 뺐습니다, 소용없, 소용이 없
    효과가 없, 효과 없
    断念, 諦め, あきらめ, 見送り, 見送る, やめました, 元に戻しました, 元に戻した, 取りやめ, 採用しな
    採用しません, 採用していま, 使わないこと, 取り消しました, ロールバックしました
    効果がな, 効果はあり, うまくいか, 効きません, だめでした
    放弃, 回滚了, 撤销了, 改回, 没用, 没有效果, 行不通, 走不通
    """,
)
# Something is a trial, an approach or an idea.
TRIED = Phrases(
    "tried attempted attempt experimented benchmarked approach variant idea versucht versuch probiert ansatz idee "
    "umweg variante tentei testei pensei experimentei cogitei ideia abordagem intenté probé pensé idea enfoque "
    "essayé testé tenté idée approche provato tentato approccio",
    "",
    """
    also considered, considered a, considered an, considered using, at first i, did at first, it at first
    i wanted to, ich wollte, quería, queria, i started with, started out with
    i first used, i first had, i first made, i first wrote, first attempt
    looked at * first, spent a while, first version, we had it, thought of, thought about, turned out
    eine lösung, erste version, zuerst, zunächst, angefangen habe ich
    comecei com, comecei por, a princípio, empecé con, empecé por, al principio, primeira versão
    primera versión, première version, prima versione
    아 봤, 어 봤, 묶어 봤, 아봤, 어봤, 시도했, 시도한, 해봤, 해 봤, 하려 했, 하려고 했, 처음에는, 방식은, 방법은
    考えていま, 試し, 試み, おうとし, ようとし, 最初は, 当初, 案は, 方法は, 方法では, しても, してみ
    试过, 试了, 尝试, 最初, 方案, 一开始
    """,
)
# The same, for certain.
ATTEMPTED = Phrases(
    "tried attempted versucht probiert tentei intenté probé essayé tenté provato",
    parts="시도했, 해봤, 해 봤, 試しま, 試した, 試みま, 试过, 试了, 尝试了",
)
# It did not work out.
FAILED = Phrases(
    "but not no without isn doesn didn don won nicht kein keine keinen não sin sem broke breaks failed "
    "fails cannot unreliable flaky slower worse crashed hung lost deadlocked however  "
    "aber scheiterte gescheitert schief langsamer endlosschleife mas falhou falha travou pero falló falla "
    "fallaba rompía mais  "
    "ma",
    "deadlock crash mangl corrupt leak duplicat quebr dispara",
    """
    can't, not possible, does not work, doesn't work, do not work, don't work, not work, too slow, too large, too big
    not supported, does not support, doesn't support, no good, is not enough, does not survive, caused, never worked
    geht nicht, ging nicht, funktioniert nicht, funktionierte nicht, zu langsam, nicht möglich, führte zu
    não funciona, não funcionou, só que, muito lento, lento demais, não suporta, não é possível
    no funciona, no funcionó, no sirvió, demasiado lento, no es posible, no soporta
    ne marche pas, ne fonctionne pas, n'a pas marché, trop lent, non funziona
    지만, 는데, 으나, 깨져, 않아, 않았, 안 나서, 안 됐, 안 되었, 안 됩니다, 실패, 느려, 느리, 지원하지 않, 불가능
    なかった, できな, できません, られない, られません, 壊れ, ならな, されな, 無限ループ, 遅く
    遅す, 足りず, 崩れ, せず
    しか, 対応していな, が、, 但, 失败, 不行, 太慢, 不支持, 无法
    """,
)
# The course changes.
TURNED = Phrases(
    "instead reverted switched dropped replaced abandoned removed statt stattdessen zurück gewechselt "
    "ersetzt verworfen  "
    "troquei voltei substituí removi acabei cambié volví reemplacé quité remplacé revenu invece sostituito tornato",
    "",
    """
    is out, are out, ist raus, sind raus, would not use it, wouldn't use it, would not use that
    rolled back, fell back, went with, kept the old, stays with, ended up, back on, back to the, moved to, put * back
    not recommend, don't recommend, wouldn't recommend, não recomendo, no lo recomiendo, no recomiendo, rate davon ab
    nicht empfehlen, je déconseille, 추천하지 않, お勧めしません, おすすめしません, 不推荐, 不建议
    and chose, chose to, passei para, mudei para, em vez, pasé a, seguimos con, sigue con, en vez, en lugar, au lieu
    대신, 되돌, 바꿨, 바꾸었, 변경했, 돌아갔, 代わり, 元に戻, 切り替え, 変更し, に変え, 削除し
    改用, 换成, 改为, 改成, 回退, 去掉
    """,
)
# A trial that came first and was not kept, if a failure follows in the sentence.
FIRST = Phrases(
    "zunächst zuerst anfangs",
    "",
    """
    i first, at first i, i had first, my first, i tried * first
    a princípio, no início, primeiro tentei, al principio, primero intenté, au début, d'abord, all'inizio
    처음에는, 최초에는, 最初は, 当初は, 一开始, 最初
    """,
)
# Something is so now, for a reason.
NOW = Phrases(
    "now again so stay stays therefore moved bleibt jetzt wieder deshalb darum daher also agora então "
    "ahora maintenant donc ora quindi",
    parts="por isso, por eso, du coup, por enquanto, al final, se queda, is blocked, no longer, 이제, 다시, "
    "그래서, 今は, そのため, ので, ため、, にしました, に戻し, 所以, 因此, 现在",
)
# It worked.
SUCCEEDED = Phrases(
    "works pass passes passed passing correct correctly expected fine green succeeded reproduced "
    "funktioniert korrekt  "
    "grün funciona correto correcto correcta passam pasan",
    parts="went through, 정상, 성공, 통과, 成功, 正常, 通っ",
)
# A heading, or what is said of a trial, says that it was given up.
GIVEN_UP_HEADS = Phrases(
    "abandoned rejected discarded verworfen aufgegeben descartado descartados abandonado abandonné",
    "",
    """
    did not work, didn't work, not worked, did not pan out, didn't pan out, dead end, dead ends, that failed
    what failed
    tried and, failed attempts, gave up, given up, nicht funktioniert, ging nicht, não funcionou, não deu certo
    no funcionó, n'a pas marché, 실패한 시도, 포기한, 안 된 것, うまくいかなかった, 試したがだめ, 失敗した方法
    失败的尝试, 行不通
    """,
)
# A person wants something taken back.
TAKE_BACK = Phrases(
    "vergiss esquece esqueça olvida olvídate oublie desfaz desfaça reverte reverta deshaz deshazlo revierte",
    "",
    """
    revert it, revert that, revert this, revert the, revert to, revert your, revert please, revert those
    please revert
    undo it, undo that, undo this, undo the, undo your, undo those, undo all, undo everything, go back to
    take it back, take that back, forget it, forget that, forget the, forget about, leave it as it was
    roll it back, roll that back, roll back the, back it out, back that out, scrap that, scrap it, scrap this
    put it back, put that back, take it out again, don't go there, back to the old, back to how it was
    mach das rückgängig, mach es rückgängig, wieder rückgängig, rückgängig machen, nimm das zurück, nimm es zurück
    lass das mit, lass es, wieder raus, zurück zur alten, zurück zum alten, zurück auf die alte
    volta pro, volta para o, volta para a, volta pra, volta ao, volta como, como estava antes
    vuelve al, vuelve a la, vuelve a lo, como estaba, annule ça, annule cela, reviens à, remets l'ancien
    되돌려, 되돌리, 원래대로, 원복, やめて, やめましょう, 算了, 元に戻して, 戻してくだ, 撤销这, 改回, 恢复原来, 回滚
    """,
)
# A person takes back what was said or decided just before.
WITHDRAWING = Phrases(
    "nevermind nvm",
    "",
    """
    after all, on second thought, second thoughts, changed my mind, scratch that, never mind, forget what i
    i take that back, wait no, ignore that, ignore what i, disregard that
    ach doch, dann doch, doch lieber, lieber doch, doch nicht, vergiss was, nehme das zurück, anders überlegt
    mudei de ideia, pensando bem, deixa pra lá, esquece o que, melhor não
    cambié de idea, pensándolo bien, olvida lo que, mejor no, changé d'avis, finalement
    tout compte fait, oublie ce que
    anzi, ho cambiato idea, ripensandoci
    やっぱり, やはり, 撤回, 역시, 생각해 보니, 취소할, 还是用, 还是算了, 改主意, 想了想
    """,
)
# A reply that puts the answer off.
DEFERRING = Phrases(
    "idk",
    "",
    """
    let me ask, let me check, let me think, let me look, not sure, don't know, i'll ask, i'll check, i'll find out
    i will ask, i will check, have to ask, need to ask, have to check, need to check, tell you later, decide later
    get back to you, depends on what
    weiß nicht, weiß ich nicht, keine ahnung, muss ich fragen, muss erst fragen, frage ich, frag ich, ich frag
    kläre ich, schaue ich, mal schauen, nicht sicher, sage ich dir
    não sei, vou ver, vou perguntar, preciso perguntar, pergunto, le pregunto, lo pregunto, no sé, déjame
    voy a preguntar, tengo que preguntar, lo miro, je ne sais pas, je vais demander, je regarde, je demande
    je lui demande, je leur demande, non so, chiedo
    わかりません, 分かりません, 確認します, 確認するから, 確認してから, 会議で
    聞いてみ, に聞く, 保留, 相談し, 보류, 모르겠, 물어볼, 물어보고, 확인해 볼, 확인해볼
    不确定, 不知道, 问一下, 我问问, 再说, 看看再, 先等等, 等一下, ちょっと待って, 잠깐만
    """,
)
# Another time, as the whole reply.
LATER = frozenset("later später depois después luego tard plus dopo потом 나중에 後で あとで 以后".split())  # noqa: SIM905 - the same
# A prompt that begins so asks, with or without a mark.
INTERROGATIVE = frozenset("what how why who where was wie warum wieso wer qué cómo pourquoi comment perché".split())  # noqa: SIM905 - the same
# A reply that begins so sends somebody to ask.
ASKING = frozenset("ask frag frage pergunta pergunte pregunta pregunte demande demandez chiedi".split())  # noqa: SIM905 - the same
# A question asks for information, and not for a choice.
INFORMING = Phrases(
    parts="""
    can i help, can i do for you, kann ich dir helfen, posso ajudar, puedo ayudar, puis-je vous aider, 도와드릴, 手伝
    帮你, 帮您, anything else, anything to, anything you, noch etwas, etwas zu ändern, algo mais, mais alguma, algo más
    otra cosa, autre chose, qualcos'altro, 他に, 何か変更, 더 필요한, 수정할, 需要调整, 还有什么, 要修改
    how many, how much, how often, how long, do you have, do we have, have you
    do your, does your, is your, is anyone, is anybody, does anyone
    can you give, can you send, can you tell, can you check, could you give, could you send, could you tell, when did
    who is, who has, who uses, who else, where is, are you using, do you use
    wie viele, wie oft, wie groß, wie lange, hast du, habt ihr, haben sie, gibt es, nutzt ihr, kannst du mir, wer ist
    quantos, quantas, você tem, vocês têm, tem acesso, cuántos, cuántas, tienes, tenéis, hay alguien, puedes pasar
    combien, avez-vous, as-tu, est-ce que vous avez, est-ce que tu as, pouvez-vous me
    いくつ, ありますか, いただけますか, 있나요, 있으신가요, 몇 , 有没有, 多少, 能否提供
    """,
)
# Somebody else says something: such a word among the first ones of a sentence.
SAYING = frozenset(
    """
    says said writes thinks thought wants wanted suggests suggested told wrote asks asked prefers claims
    sagt sagte meint meinte findet fand möchte schreibt schrieb
    diz disse acha quer falou sugeriu dice dijo piensa quiere cree sugirió dit pense veut trouve
    """.split()  # noqa: SIM905 - a list of words in several languages
)
SPEAKING = frozenset("i we you ich wir du ihr eu nós você yo nosotros je on nous tu vous".split())  # noqa: SIM905 - the same
# What follows is only supposed: as the first word, or anywhere.
IF = frozenset(["if", "unless", "when", "wenn", "falls", "se", "caso", "si", "quando", "cuando", "quand"])
SUPPOSED = Phrases(
    "might may could könnte könnten müsste müssten poderia podría pourrait potrebbe",
    parts="in case, 만약, 하면, もし, 場合, れば, 如果, 要是",
)
# A sentence that does not say itself what it is about.
POINTING = Phrases(
    "it that this them both neither das dies es ihn sie diese dieser isso isto ele ela eso esto lo la cela ça ciò",
    parts="그것, 이것, 그건, 이건, 그래서, 이 방법, それ, これ, この, その, 这, 那, 它",
)
# An offer to do something: what answers it is yes or no.
PROPOSING = Phrases(
    parts="""
    shall i, should i, may i, can i, shall we, should we, want me to, like me to, ok to, okay to, ready to, ok if i
    soll ich, sollen wir, darf ich, kann ich, möchtest du, willst du, möchten sie, posso, devo, quer que, podemos
    puedo, quieres que, debo, dois je, puis je, veux tu que, voulez vous que, vuoi che
    ますか, ましょうか, でしょうか, いいですか, 할까요, 될까요, 하시겠습니까, 드릴까요, 要我
    需要我, 是否, 可以吗, 要不要, 好吗
    """,
)
# Claude recommends something.
ADVISING = Phrases(
    parts="""
    i'd recommend, i would recommend, i recommend, my recommendation, i'd suggest, i would suggest, i suggest
    i'd go with, i would go with, i'd use, i would use, i'd take, i would take, i propose, i'd propose
    ich empfehle, ich würde, mein vorschlag, ich schlage, recomendo, eu usaria, sugiro, recomiendo, sugiero, propongo
    je recommande, je propose, consiglio, proporrei, 추천, 제안, 권장, おすすめ, お勧め, 推奨, 提案, 建议, 推荐
    """,
)
# A question has alternatives.
CHOOSING = frozenset("or oder ou o oppure или".split())  # noqa: SIM905 - the same
# What such an offer only goes on with: yes to it decides nothing.
PROCEEDING = Phrases(
    "commit push proceed continue start begin next merge pr plan implement committen pushen weitermachen fortfahren "
    "anfangen beginnen loslegen umsetzen commitar seguir continuar prosseguir começar empezar continuer commencer "
    "procedere iniziare pushar",
    "",
    """
    go on, go ahead, pull request, move on, carry on, set off, 進め, 続け, コミット, 始め, プッシュ
    진행, 커밋, 계속, 시작, 푸시
    继续, 提交, 开始, 推送
    """,
)
# The day after: as one of the first words of a sentence.
AHEAD = frozenset("tomorrow morgen amanhã mañana demain domani завтра 내일 내일은 明日 明日は 明天".split())  # noqa: SIM905 - the same
# A bare reply says no.
DECLINING = frozenset(
    """
    no nope none nothing nein nichts keine não nao nada nenhum ninguno non rien niente нет 不 不是 没有 没有了 没了 不用
    いいえ ないです ありません 아니요 아니 없어요 없습니다
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# A line says that what follows it was said or written by somebody else.
QUOTING = Phrases(
    "traceback",
    "",
    """
    did you try, you said, you wrote, you told me, you answered, it says, it said, it prints, he says, she says
    here is what, here's what, the docs say, the ticket says, error message, error output, the log says, i get, i got
    du hast gesagt, du sagtest, hast du das versucht, er schreibt, sie schreibt, da steht, fehlermeldung, ich bekomme
    você disse, você tentou, mensagem de erro, dijiste, probaste, mensaje de error, tu as dit, tu as essayé, hai detto
    라고 했, 이라고 나, 시도해 봤, 오류가, 에러가, と言った, と言って, と出, 試した, エラーが
    你说, 你刚才说, 报错, 你试过
    """,
)
