/** What every experiment of this folder says about privacy. */
export const withoutGuarantee =
  'Methods without privacy: no guarantee is claimed and none holds. They are what private methods are measured against.';
