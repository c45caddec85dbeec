import type { App, ServerContext } from '../server-context.js';

/** `/healthz` for load balancers, `/metrics` for Prometheus. */
export function healthRoutes(app: App, context: ServerContext): void {
  app.get('/healthz', (c) =>
    context.closing.aborted
      ? c.json({ ok: false, reason: 'shutting down' }, 503)
      : c.json({ ok: true, version: context.version }),
  );
  app.get('/metrics', async (c) => {
    const entries = await context.models.entries();
    const text = context.metrics.text({
      models: entries.size,
      runs_training: context.jobs?.runningCount ?? 0,
      resident_memory_bytes: process.memoryUsage.rss(),
      cpu_seconds: cpuSeconds(),
      uptime_seconds: Math.round(process.uptime()),
    });
    return c.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
