/** Names of fields that people use for one another, in small letters without blanks. */
const SAME: readonly (readonly string[])[] = [
  ['surname', 'lastname', 'familyname'],
  ['givenname', 'firstname', 'forename'],
  ['postalcode', 'postcode', 'zipcode', 'zip'],
  ['dateofbirth', 'birthdate', 'birthday', 'dob'],
  ['phone', 'telephone', 'phonenumber'],
  ['email', 'emailaddress', 'mail'],
];

/** The names with those that people use for them, by letters; a field of that name stays itself. */
export function withOtherNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = new Map(names);
  for (const same of SAME) {
    const field = same.flatMap((letters) => names.get(letters) ?? [])[0];
    if (field !== undefined) for (const one of same) if (!all.has(one)) all.set(one, field);
  }
  return all;
}
