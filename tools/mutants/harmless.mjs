/** Faults that no test needs to notice, by their names, and why. */
export const harmless = new Map([]);
