import { join } from 'node:path';
import type { SweepCell, SweepRow, Tuned, WithoutPrivacy } from '@hushrec/evaluate';
import type { Goal } from '@hushrec/factorize';
import type { DatasetManifest } from '@hushrec/ratings';
import type { Outcome } from './command.js';
import type { CompareFlags } from './commands/compare.js';
import { compareReport, type ShownMetric } from './compare-report.js';
import { comparedMethods, type LeftOutMethod } from './compare-request.js';
import { comparisonCsv, comparisonTable, tuningText, withoutPrivacyText } from './comparison-text.js';
import { type SameMethod, sameMethodsText } from './same-methods.js';
import { writeWhole } from './whole-file.js';

/** What a comparison found. */
export interface Comparison {
  readonly cells: readonly SweepCell[];
  readonly rows: readonly SweepRow[];
  /** Those of the table and the curves, the one that decides first. */
  readonly shown: readonly ShownMetric[];
  /** The metric that settings were chosen by. */
  readonly decides: string;
  readonly tuned: readonly Tuned[];
  readonly same: readonly SameMethod[];
  readonly leftOut: readonly LeftOutMethod[];
  /** What all methods are for. */
  readonly goal: Goal;
  /** Absent where nothing without privacy was measured, or nothing could be chosen by. */
  readonly withoutPrivacy?: WithoutPrivacy;
  readonly trainedOn: {
    readonly people: number;
    readonly items: number;
    readonly ratings: number;
    readonly feedback: 'ratings' | 'likes';
  };
}

/** Whether a comparison may be shown to everyone: what is measured on private ratings is a look at them. */
export function isOfPublicData({ provenance }: DatasetManifest, { publicData }: CompareFlags): boolean {
  return publicData === true || provenance['recipe'] !== undefined;
}

/** Writes report, CSV and what the page draws, and gives the table. */
export async function writeComparison(
  out: string,
  manifest: DatasetManifest,
  comparison: Comparison,
  flags: CompareFlags & { readonly protocol: string },
): Promise<Outcome> {
  const { cells, rows, shown, decides, tuned, same, leftOut, goal, withoutPrivacy, trainedOn } = comparison;
  const methods = flags.methods ?? comparedMethods[goal];
  const command = `hushrec compare ${manifest.name} --goal ${goal} --methods ${methods} --epsilons ${flags.epsilons} --repeats ${flags.repeats}${flags.metrics === undefined ? '' : ` --metrics ${flags.metrics}`}${flags.tune === undefined ? '' : ` --tune ${flags.tune}`}`;
  const report = join(out, 'report.html');
  await writeWhole(
    report,
    compareReport(manifest, cells, rows, shown, {
      ...{ ...flags, command, tuned, trainedOn, same },
      ...(withoutPrivacy && { withoutPrivacy }),
    }),
  );
  await writeWhole(join(out, 'rows.csv'), comparisonCsv(rows));
  const page = drawn(manifest.name, isOfPublicData(manifest, flags), comparison);
  await writeWhole(join(out, 'comparison.json'), JSON.stringify(page));
  const tables = shown.map(({ name }) =>
    comparisonTable(
      rows.filter((row) => row.metric === name),
      name,
      trainedOn,
      flags.asIfPeople,
    ),
  );
  return {
    json: {
      rows,
      report,
      tuned,
      same,
      leftOut,
      goal,
      withoutPrivacy: withoutPrivacy ?? null,
      ...(flags.asIfPeople !== undefined && { asIfPeople: flags.asIfPeople }),
    },
    text: [
      ...tables,
      ...withoutPrivacyText(withoutPrivacy, tuned),
      ...sameMethodsText(same),
      ...tuningText(tuned, decides),
      report,
    ].join('\n\n'),
  };
}

/**
 * What the page of `hushrec serve --reports` draws. Invented people have nothing to hide: theirs is public.
 */
function drawn(name: string, publicData: boolean, comparison: Comparison): object {
  const { cells, rows, shown, tuned, goal, withoutPrivacy, trainedOn } = comparison;
  return {
    title: `Quality against privacy: ${name}`,
    publicData,
    metric: shown[0].name,
    goal,
    withoutPrivacy: withoutPrivacy ?? null,
    trainedOn,
    rows,
    cells,
    tuned,
  };
}
