/** Names of files that mean something else in an address, or where one is written. */
export const ODD_NAMES = [
  "a%20b.txt",
  "h#x.txt",
  "q?x.txt",
  "sp ace.txt",
  "quo\"te'.txt",
  "new\nline.txt",
];
