// What runs inside Claude Code: one line above the prompt, the command /hf, and the user's own words for a compaction.
// The classic hooks do all else, and do not need this module. The API: code.claude.com/docs/en/plugins/mods/overview.

import { atom, read, update } from 'claude-code'
import type { EngineInterface, Register } from 'claude-code'

const line = atom({ plugin: 'holdfast-mod', key: 'line' } as const, '')
const REQUESTS = 3 // of the user, the latest
const LONGEST = 600 // characters of each
const PATIENCE = 10_000 // milliseconds that a command may take
let found: Promise<string> | undefined // the command, looked for once

/** Return the command of holdfast: the one on PATH, else the one beside this plugin; '' if neither runs. */
async function command($: EngineInterface): Promise<string> {
  for (const program of ['holdfast', `${$.plugin.root}/../../bin/holdfast`]) {
    try {
      await $.process.run([program, '--version'], { timeoutMs: PATIENCE })
      return program
    } catch {
      continue // it is not there
    }
  }
  return ''
}

/** Run the command of holdfast with these words; what it printed, '' without an answer. */
async function holdfast($: EngineInterface, words: string[], env: Record<string, string>, stdin = ''): Promise<string> {
  const program = await (found ??= command($))
  if (!program) {
    return ''
  }
  try {
    const done = await $.process.run([program, ...words], { env, stdin, timeoutMs: PATIENCE })
    return done.stdout || done.stderr
  } catch {
    return '' // it took too long
  }
}

/** Ask for the line anew, and add how full the client says its window is. */
async function refresh($: EngineInterface): Promise<void> {
  const env = await $.process.hookEnv()
  const { context } = await $.session.usage()
  const body = { session_id: env.CLAUDE_CODE_SESSION_ID, cwd: env.CLAUDE_PROJECT_DIR }
  const text = await holdfast($, ['statusline'], env, JSON.stringify(body))
  const full = context.percent === undefined ? '' : ` · context ${context.percent}%`
  const shown = text.trim() ? text.trim().split('\n')[0] + full : ''
  await update($, line, () => shown)
}

export const register: Register = (on) => {
  on('session.start', async ($, e, next) => {
    await $.command.register({ name: 'hf', description: 'Run a command of holdfast, without the model: /hf list' })
    const started = await next(e)
    void refresh($)
    return started
  })

  on('turn.complete', async ($, e, next) => {
    const done = await next(e)
    void refresh($)
    return done
  })

  on('command.run', { command: 'hf' }, async ($, e) => {
    const words = e.args.match(/"[^"]*"|'[^']*'|\S+/g) ?? ['list']
    const plain = words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    const text = await holdfast($, plain, await $.process.hookEnv())
    return { text: text.trimEnd() || 'The command holdfast is not on PATH, or gave no answer. In its folder type: ./install.sh' }
  })

  on('session.compact', ($, e, next) => {
    const asked = e.messages.filter((one) => one.role === 'user' && one.text && !one.toolResults?.length)
    const typed = asked.map((one) => one.text.trim()).filter((text) => !text.startsWith('<') && !text.startsWith('/'))
    if (e.agentId || !typed.length) {
      return next(e)
    }
    const quoted = typed.slice(-REQUESTS).map((text) => `> ${text.slice(0, LONGEST).replaceAll('\n', '\n> ')}`)
    const words = `Keep the latest requests of the user word for word:\n\n${quoted.join('\n\n')}`
    return next({ ...e, instructions: [e.instructions, words].filter(Boolean).join('\n\n') })
  }).catch(($, e, next) => next(e)) // a compaction takes place whatever fails here

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const text = await read($, line)
    if (!text || e.props.hasSurvey) {
      return next(e)
    }
    const { Box, Text } = $.ui.resolve(e)
    return (
      <Box>
        <Text dimColor wrap="truncate">
          holdfast: {text}
        </Text>
      </Box>
    )
  })
}
