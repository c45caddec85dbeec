import { OperatingFigures } from '../operating-figures.js';
import { dayOf } from '../protection/day-of.js';
import type { App, ServerContext } from '../server-context.js';

const readyWithinMs = 2000;

/** `/healthz`: the process lives. `/readyz`: it can answer, for load balancers. `/metrics` for Prometheus. */
export function healthRoutes(app: App, context: ServerContext): void {
  const figures = new OperatingFigures(context);
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
    const gauges = {
      models: entries.size,
      runs_training: context.jobs?.runningCount ?? 0,
      log_lines_lost: context.logLinesLost(),
      resident_memory_bytes: process.memoryUsage.rss(),
      cpu_seconds: cpuSeconds(),
      uptime_seconds: Math.round(process.uptime()),
    };
    const text = context.metrics.text(gauges, await figures.families());
    return c.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}

/** What keeps it from answering, without places or messages of this machine. */
async function whyNotReady(context: ServerContext): Promise<string[]> {
  const { closing, store, models } = context;
  if (closing.aborted) return ['shutting down'];
  const parts: [string, Promise<unknown>][] = [
    ['the list of runs cannot be read', store.list(1)],
    ['models cannot be read', models.entries()],
  ];
  const states = await Promise.all(parts.map(([, part]) => succeedsInTime(part)));
  const reasons = parts.filter((_, index) => !states[index]).map(([reason]) => reason);
  return reasons.length === 0 && (await hasOldModel(context)) ? ['a model is too old'] : reasons;
}

/**
 * Whether a model is older than the operator allows: the one published now where it was named, else any.
 * Everyone may ask, so that age counts from the beginning of the day it was made: the hour depends on how
 * long training took, which depends on the ratings.
 */
async function hasOldModel({ models, maxModelAgeMs }: ServerContext): Promise<boolean> {
  if (maxModelAgeMs === undefined) return false;
  const all = [...(await models.entries()).values()].map(({ summary }) => summary);
  const named = all.filter(({ isPublishedNow }) => isPublishedNow);
  return (named.length > 0 ? named : all).some(
    ({ publishedAt }) => Date.now() - Date.parse(dayOf(publishedAt)) > maxModelAgeMs,
  );
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
