/** `446015` -> `446,015`. Written without ICU, whose first number takes 5 to 10 ms. */
export const withCommas = (whole: number): string =>
  String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',');
