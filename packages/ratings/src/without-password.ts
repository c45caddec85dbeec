/**
 * A text in which addresses stand without user and password (`scheme://user:password@host`), also where a
 * path was made of one and lost a slash. A password may hold any character but blanks and quotes.
 */
export function withoutPassword(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/{1,2})[^\s"'`]*@/gi, '$1');
}
