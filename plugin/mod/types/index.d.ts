declare module 'claude-code' {
  interface PluginState {
    'holdfast-mod': { line: string }
  }
}
