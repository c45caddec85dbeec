/**
 * Lets the event loop turn once and throws if an interruption came in meanwhile. Awaiting noise that is drawn
 * at once never leaves the current turn, so a long computation would see neither Ctrl-C nor a request to stop
 * before its end.
 */
export async function letInterruptionsIn(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return;
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}
