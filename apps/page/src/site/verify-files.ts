/** Apart, so that the accountants are loaded only by the page that needs them. */
export { verifyPublished as verifyFiles } from '@hushrec/model';
