// holdfast for opencode: each hook of opencode starts hooks/event.py with the name and the payload of Claude Code's event.
//
// opencode loads a plugin into its own process, so nothing here waits longer than LIMIT or throws, except to refuse an
// edit. Sources: the types in @opencode-ai/plugin 1.18.33, and what that version sends and accepts.

import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const HOOKS = fileURLToPath(new URL("../../hooks", import.meta.url))
const LIMIT = 20000 // milliseconds
const EDITS = { write: ["filePath"], edit: ["filePath"], apply_patch: ["patchText"] } // what is sent of their arguments
const TITLES = "You are a title generator" // how the instructions of the request for a title begin

export const holdfast = async ({ client, directory }) => {
  const sessions = new Map()
  const created = new Map() // what opencode said of sessions that began in this process

  // Start one hook and return its answer, {} for none.
  const run = (event, session, fields) =>
    new Promise((resolve) => {
      const { CLAUDE_PLUGIN_DATA, ...env } = process.env
      const agent = session.agent ? { agent_id: session.id, agent_type: session.agent } : {}
      const body = { session_id: session.root, cwd: directory, hook_event_name: event, ...agent, ...fields }
      const stdio = ["pipe", "pipe", "ignore"]
      const hook = spawn(`${HOOKS}/launch`, [`${HOOKS}/event.py`, "opencode", event], { cwd: directory, env, stdio, timeout: LIMIT })
      let output = ""
      hook.stdout.on("data", (data) => (output += data))
      hook.stdin.on("error", () => {})
      hook.on("error", () => resolve({}))
      hook.on("close", () => {
        try {
          resolve(JSON.parse(output))
        } catch {
          resolve({})
        }
      })
      hook.stdin.end(JSON.stringify(body))
    })

  // Start a hook after those of the same session that were started before, and show the user what it says.
  const fire = (event, session, fields = {}) => {
    const answer = session.last.then(() => run(event, session, fields))
    session.last = answer
    answer.then(({ message }) => message && show(message))
    return answer
  }

  const show = (message) =>
    client.tui.showToast({ body: { title: "holdfast", message, variant: "info", duration: 10000 } }).catch(() => {})

  // A session starts for holdfast with its first message in this process; a subagent is a session with a parent.
  const begun = (id) => {
    if (!sessions.has(id)) sessions.set(id, begin(id))
    return sessions.get(id)
  }

  const begin = async (id) => {
    const messages = await client.session.messages({ path: { id } }).catch(() => ({}))
    const info = created.get(id) ?? (await client.session.get({ path: { id } }).catch(() => ({}))).data
    const parent = info?.parentID ? await begun(info.parentID) : null
    const session = { id, root: parent?.root ?? id, agent: parent && (info.agent || "subagent"), tasks: 0, said: "", last: Promise.resolve() }
    const source = messages.data?.length ? "resume" : "startup"
    session.context = (await fire(parent ? "SubagentStart" : "SessionStart", session, { source })).context
    return session
  }

  const compacted = async (session) => {
    session.compacting = ""
    fire("PostCompact", session, { compact_summary: session.said })
    session.context = (await fire("SessionStart", session, { source: "compact" })).context
  }

  const stopped = (session) =>
    fire(session.agent ? "SubagentStop" : "Stop", session, { last_assistant_message: session.said })

  const sent = (session, tool, args) => {
    if (tool === "todowrite") {
      const before = session.tasks
      session.tasks = args.todos?.length ?? 0
      return { todos: args.todos, before }
    }
    return Object.fromEntries(EDITS[tool].map((key) => [key, args[key]]))
  }

  return {
    "chat.message": async ({ sessionID }, output) => {
      const session = await begun(sessionID)
      const own = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (session.agent || !own.length) return
      const { context } = await fire("UserPromptSubmit", session, { prompt: own.map((part) => part.text).join("\n") })
      const { id, messageID } = own.at(-1)
      if (context) output.parts.push({ id: `${id}0`, sessionID, messageID, type: "text", text: context, synthetic: true })
    },

    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const session = await sessions.get(sessionID)
      if (!session || session.compacting || output.system[0]?.startsWith(TITLES)) return
      await session.last
      if (session.context) output.system.push(session.context)
    },

    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (!EDITS[tool]) return
      const session = await begun(sessionID)
      const { refusal } = await fire("PreToolUse", session, { tool_name: tool, tool_input: sent(session, tool, args) })
      if (refusal) throw new Error(refusal)
    },

    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (!EDITS[tool] && tool !== "todowrite") return
      const session = await begun(sessionID)
      const { context } = await fire("PostToolUse", session, { tool_name: tool, tool_input: sent(session, tool, args) })
      if (context) output.output += `\n\n${context}`
    },

    "experimental.text.complete": async ({ sessionID }, { text }) => {
      const session = await sessions.get(sessionID)
      if (session) session.said = text
    },

    "experimental.session.compacting": async ({ sessionID }, output) => {
      const session = await begun(sessionID)
      session.compacting ||= "auto"
      const { steering } = await fire("PreCompact", session, { trigger: session.compacting })
      if (steering) output.context.push(steering)
    },

    "shell.env": async ({ sessionID }, output) => {
      const session = await sessions.get(sessionID)
      if (session) output.env.OPENCODE_SESSION_ID = session.root
    },

    event: async ({ event: { type, properties } }) => {
      if (type === "session.created") created.set(properties.info.id, properties.info)
      const session = await sessions.get(properties?.sessionID ?? properties?.info?.id)
      if (!session) return
      if (type === "message.part.updated" && properties.part?.type === "compaction")
        session.compacting = properties.part.auto ? "auto" : "manual"
      else if (type === "session.compacted") await compacted(session)
      else if (type === "session.idle") await stopped(session)
      else if (type === "session.deleted") {
        sessions.delete(session.id)
        if (!session.agent) await fire("SessionEnd", session, { reason: "other" })
      }
    },

    dispose: async () => {
      const known = (await Promise.all(sessions.values())).filter((session) => !session.agent)
      sessions.clear()
      await Promise.all(known.map((session) => fire("SessionEnd", session, { reason: "other" })))
    },
  }
}
