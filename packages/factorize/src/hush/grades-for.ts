import type { GradeRange, People } from '@hushrec/statistics';

/**
 * The declared scale, where what people chose has grades on it; null where every choice counts 1. Public
 * knowledge alone.
 */
export function gradesFor({
  scale: { min, max },
}: Pick<People, 'scale'>): { readonly grades: GradeRange } | null {
  return min < max ? { grades: { min, max } } : null;
}
