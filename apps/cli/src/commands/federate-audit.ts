import type { ExchangeAudit } from '@hushrec/audit';
import type { Command } from 'commander';
import { addCommand, integerOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { epsilonText } from '../number-text.js';

interface AuditOptions {
  readonly runs: number;
}

export function registerFederateAudit(group: Command): void {
  addCommand<AuditOptions>(group, {
    usage: 'audit',
    summary: 'attack one exchange as everybody but one aggregator; planted faults must be noticed',
    examples: ['hushrec federate audit', 'hushrec federate audit --runs 5000'],
    fields: ['claimed', 'lowerBound', 'delta', 'runs', 'checks', 'planted', 'ok'],
    configure: (command) =>
      command.option(
        '--runs <n>',
        'exchanges with the planted person, and as many without',
        integerOption('runs', 50),
        600,
      ),
    run: async (_, { runs }, { progress, signal }) => {
      const { auditExchange, exchangeFaults } = await import('@hushrec/audit');
      const { createEngine } = await import('@hushrec/numerics');
      const engine = await createEngine({ kernel: 'simd', threads: 1 });
      try {
        const total = 1 + exchangeFaults.length;
        const asItIs = await auditExchange(engine, { runs, signal });
        const planted: { fault: string; noticed: boolean; by: readonly string[] }[] = [];
        for (const [at, fault] of exchangeFaults.entries()) {
          progress({ stage: 'exchanges', done: at + 1, total });
          const { ok, checks } = await auditExchange(engine, { runs, fault, signal });
          const by = checks.filter((check) => !check.ok).map(({ name }) => name);
          planted.push({ fault, noticed: !ok, by });
        }
        const ok = asItIs.ok && planted.every(({ noticed }) => noticed);
        const { claimed, lowerBound, delta, checks } = asItIs;
        return {
          json: { claimed, lowerBound, delta, runs, checks, planted, ok },
          text: [...lines(asItIs), '', ...planted.map(plantedLine), '', verdict(asItIs, ok)].join('\n'),
          exitCode: ok ? exitCodes.done : exitCodes.failed,
        };
      } finally {
        await engine.close();
      }
    },
  });
}

function lines({ checks, claimed, lowerBound, delta }: ExchangeAudit): string[] {
  return [
    `One exchange, everybody but one aggregator against one person: at least ε = ${lowerBound.toFixed(2)} leaks, claimed is ${epsilonText(claimed)} at δ = ${delta}.`,
    ...checks.map(({ name, ok, detail }) => `${ok ? 'ok    ' : 'FAILED'}  ${name} (${detail})`),
  ];
}

function plantedLine({ fault, noticed, by }: { fault: string; noticed: boolean; by: readonly string[] }) {
  return `planted: ${fault}: ${noticed ? `noticed (${by.join('; ')})` : 'NOT noticed'}`;
}

function verdict(asItIs: ExchangeAudit, ok: boolean): string {
  if (ok) return 'Nothing contradicts the claim, and every planted fault was noticed.';
  return asItIs.ok
    ? 'A planted fault was not noticed: give more --runs.'
    : 'The claim is FALSE, or the implementation is broken.';
}
