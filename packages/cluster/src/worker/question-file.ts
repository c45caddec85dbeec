import { createHash } from 'node:crypto';
import type { RatingScale } from '@hushrec/ratings';
import { decodeQuestion, encodeQuestion } from '@hushrec/statistics';

/**
 * What a worker needs to know to sum a statistic over its blocks: published numbers and names of blocks,
 * nobody's rating.
 */
export interface QuestionFile {
  readonly format: 'hushrec-question-1';
  readonly statistic: string;
  readonly published: unknown;
  readonly itemCount: number;
  readonly scale: RatingScale;
  /** Names of all blocks, ascending, one after another: 32 hexadecimal digits each. */
  readonly blocks: string;
}

/** The file of a question; its name tells its content. */
export function questionFile(question: Omit<QuestionFile, 'format'>): {
  readonly name: string;
  readonly bytes: Uint8Array;
} {
  const bytes = encodeQuestion({ format: 'hushrec-question-1', ...question });
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { name: `question-${hash}.bin`, bytes };
}

/** @throws Error where the bytes are not what the name says */
export function readQuestionFile(name: string, bytes: Uint8Array): QuestionFile {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  if (!name.endsWith(`question-${hash}.bin`))
    throw new Error('The file of the question is not what its name says.');
  return decodeQuestion(bytes) as QuestionFile;
}
