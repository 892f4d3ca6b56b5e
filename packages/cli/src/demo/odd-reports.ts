/**
 * Reports of trouble that happened once, between the others of the demo's table: what somebody
 * remembers without the words that the report was written in.
 */

/** The words of such a report; the rest of its row is made as for the others. */
export interface OddReport {
  readonly service: string;
  readonly title: string;
  readonly narrative: string;
}

const FIRST_ID = 1013;
const STEP = 127;

/** The report of an id, where it is one of these. */
export function oddReport(id: number): OddReport | undefined {
  const place = id - FIRST_ID;
  return place >= 0 && place % STEP === 0 ? ODD_REPORTS[place / STEP] : undefined;
}

const ODD_REPORTS: readonly OddReport[] = [
  {
    service: 'media',
    title: 'Water on the floor of the server hall',
    narrative:
      'A pipe above rack nine burst and soaked two power strips. The row was switched ' +
      'off before anything caught fire, and the carpet was dried overnight.',
  },
  {
    service: 'gateway',
    title: 'Squirrel chewed through the fibre',
    narrative:
      'Rodents gnawed the outdoor line and the Oslo branch lost its uplink. A splice was ' +
      'made the same afternoon; the duct has a steel mesh now.',
  },
  {
    service: 'scheduler',
    title: 'Coffee spilled over a laptop during the handover',
    narrative:
      'The keyboard died in the middle of a shift. The engineer went on from a spare ' +
      'machine after twenty minutes.',
  },
  {
    service: 'notifications',
    title: 'Newsletter went out in the wrong language',
    narrative:
      'Spanish subscribers received Dutch text because the template picked the first ' +
      'locale of the list. An apology followed the next morning.',
  },
  {
    service: 'identity',
    title: 'Nobody could enter the building',
    narrative:
      'The badge readers at the door rejected every card after the clock jumped a year ' +
      'ahead. A guard let people in by hand until noon.',
  },
  {
    service: 'search',
    title: 'Fan noise alarm in rack four',
    narrative:
      'A bearing had worn out, air stopped flowing and the processors throttled ' +
      'themselves from heat. Two spares are kept on site now.',
  },
  {
    service: 'checkout',
    title: 'Customers charged in yen instead of dollars',
    narrative:
      'The basket mixed up two symbols on the receipt page. Refunds took a week and the ' +
      'bank asked for a report.',
  },
  {
    service: 'media',
    title: 'Chat assistant swore at visitors',
    narrative:
      'The bot repeated insults that it had picked up from old transcripts. It was ' +
      'switched off within the hour.',
  },
  {
    service: 'reports',
    title: 'Map pins drifted into the sea',
    narrative:
      'Latitude and longitude were swapped for all shops in Brazil. A fisherman was the ' +
      'first to tell us.',
  },
  {
    service: 'identity',
    title: 'Birthdays after 2009 rejected at sign-up',
    narrative:
      'The form refused teenagers as an impossible age, although the terms allow them ' +
      'with the consent of a parent.',
  },
  {
    service: 'notifications',
    title: 'Pagers stayed silent all night',
    narrative:
      'The phone number of the rota had been ported to another carrier and calls went ' +
      'nowhere. Nobody woke up until breakfast.',
  },
  {
    service: 'media',
    title: 'Films stutter on trains',
    narrative:
      'Buffering got worse wherever mobile reception is poor, above all in tunnels. A ' +
      'lower bitrate is picked earlier now.',
  },
  {
    service: 'shipping',
    title: 'Half of the parcels went to Vienna, Virginia',
    narrative:
      'The geocoder preferred the American town over the Austrian capital. Postcodes are ' +
      'compared first since then.',
  },
  {
    service: 'ledger',
    title: 'Thunderstorm knocked out the Dublin site',
    narrative:
      'Lightning struck the substation and diesel generators ran for six hours. Fuel ' +
      'would have lasted until midnight.',
  },
  {
    service: 'billing',
    title: 'Hard drive from an auction held payroll files',
    narrative:
      'A contractor had sold old disks without wiping them. A student found the wages of ' +
      'the whole company and called us.',
  },
  {
    service: 'media',
    title: 'Intern deleted the photo bucket',
    narrative:
      'A cleanup script ran against production and forty thousand portraits vanished. ' +
      'They were copied back from tape in two days.',
  },
  {
    service: 'checkout',
    title: 'Loyalty points credited a hundredfold',
    narrative:
      'A decimal comma was taken for a thousands separator. Most members noticed, and ' +
      'some booked flights.',
  },
  {
    service: 'checkout',
    title: 'Screen readers skip the pay button',
    narrative:
      'The control had no label, so blind shoppers were stuck in the basket. A volunteer ' +
      'from an association reported it.',
  },
  {
    service: 'notifications',
    title: 'Voice menu loops for ever',
    narrative:
      'Callers who pressed nine were sent back to the greeting again and again. Most ' +
      'hung up after the third round.',
  },
  {
    service: 'reports',
    title: 'Moon phases broke the tide forecast',
    narrative:
      'A harbour pilot noticed that high water was announced six hours late. The almanac ' +
      'of a leap year had been loaded twice.',
  },
  {
    service: 'inventory',
    title: 'Emoji in surnames crash the label printer',
    narrative:
      'Four-byte letters overran a buffer of the machine. Hearts and flags are replaced ' +
      'by a dash now.',
  },
  {
    service: 'inventory',
    title: 'Rental scooters would not unlock in the frost',
    narrative:
      'Batteries gave up below minus ten and the bolt stalled halfway. Riders were given ' +
      'a free hour.',
  },
  {
    service: 'scheduler',
    title: 'Quiz show voting closed early',
    narrative:
      'Viewers on the west coast were told that the poll had ended three hours too soon. ' +
      'The producer repeated the final round.',
  },
  {
    service: 'inventory',
    title: 'Allergy warnings missing from the lunch menu',
    narrative:
      'Peanut and shellfish icons were dropped by a new stylesheet. The canteen printed ' +
      'paper cards the same day.',
  },
  {
    service: 'media',
    title: 'Strangers saw the holiday albums of a family',
    narrative:
      'Two households had been given one identifier when their profiles were merged. ' +
      'Both were asked for a new address.',
  },
  {
    service: 'inventory',
    title: 'Gym turnstiles counted everyone twice',
    narrative:
      'The occupancy read 240 in a hall for 120, so members were sent home. A sensor had ' +
      'been mounted behind a mirror.',
  },
  {
    service: 'reports',
    title: 'Radio silence from the weather balloon',
    narrative:
      'Its transmitter ran out of battery at eleven kilometres and the readings of the ' +
      'evening were lost.',
  },
  {
    service: 'shipping',
    title: 'Lorry drivers routed over a footbridge',
    narrative: 'The navigation ignored weight limits and one truck got stuck until a crane came.',
  },
  {
    service: 'ledger',
    title: 'Library fines for books never borrowed',
    narrative:
      'Barcode stickers had been printed twice, so loans landed on the wrong cards. All ' +
      'fees were waived.',
  },
  {
    service: 'checkout',
    title: 'Orchestra tickets sold for seats that do not exist',
    narrative:
      'Row M had been taken out for a wheelchair platform and the plan of the hall had ' +
      'not followed.',
  },
];
