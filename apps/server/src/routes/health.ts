import type { App, ServerContext } from '../server-context.js';

const readyWithinMs = 2000;

/** `/healthz`: the process lives. `/readyz`: it can answer, for load balancers. `/metrics` for Prometheus. */
export function healthRoutes(app: App, context: ServerContext): void {
  app.get('/healthz', (c) =>
    context.closing.aborted
      ? c.json({ ok: false, reason: 'shutting down' }, 503)
      : c.json({ ok: true, version: context.version }),
  );
  app.get('/readyz', async (c) => {
    const reasons = await whyNotReady(context);
    return reasons.length === 0 ? c.json({ ok: true }) : c.json({ ok: false, reasons }, 503);
  });
  app.get('/metrics', async (c) => {
    const entries = await context.models.entries();
    const text = context.metrics.text({
      models: entries.size,
      runs_training: context.jobs?.runningCount ?? 0,
      log_lines_lost: context.logLinesLost(),
      resident_memory_bytes: process.memoryUsage.rss(),
      cpu_seconds: cpuSeconds(),
      uptime_seconds: Math.round(process.uptime()),
    });
    return c.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}

/** What keeps it from answering, without places or messages of this machine. */
async function whyNotReady({ closing, store, models }: ServerContext): Promise<string[]> {
  if (closing.aborted) return ['shutting down'];
  const parts: [string, Promise<unknown>][] = [
    ['the list of runs cannot be read', store.list(1)],
    ['models cannot be read', models.entries()],
  ];
  const states = await Promise.all(parts.map(([, part]) => succeedsInTime(part)));
  return parts.filter((_, index) => !states[index]).map(([reason]) => reason);
}

async function succeedsInTime(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), readyWithinMs);
  });
  const isDone = work.then(
    () => true,
    () => false,
  );
  return Promise.race([isDone, late]).finally(() => clearTimeout(timer));
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
