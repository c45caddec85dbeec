/** What makes a split again: protocol, seed and settings, as plain data for reports. */
export interface SplitRecord {
  readonly protocol: string;
  readonly [setting: string]: string | number | boolean;
}
