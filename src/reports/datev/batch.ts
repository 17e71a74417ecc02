import { amountText } from '../../billing/money';
import { type BatchFilter, type BatchRow, type DatevNumbers } from './datev.model';

/** The lines of a posting batch (Buchungsstapel) in the DATEV format: developer.datev.de, DATEV-Format. */

interface BatchFacts extends DatevNumbers, BatchFilter {
  /** The first day of the fiscal year, `YYYY-MM-DD`. */
  yearStart: string;
  createdAt: Date;
}

/** Two lines: what the batch contains, and the names of the columns. The batch can be changed after its import. */
export function batchHead(facts: BatchFacts): string {
  const { consultantNumber, clientNumber, yearStart, accountLength, from, to, currency, chart } = facts;
  const created = facts.createdAt.toISOString().replaceAll(/\D/g, '');
  const first = [
    ...[text('EXTF'), 700, 21, text('Buchungsstapel'), 13, created],
    // DATEV fills in when and by whom the batch is imported, and where it is from.
    ...['', text(''), text(''), text('')],
    ...[consultantNumber, clientNumber, digits(yearStart), accountLength, digits(from), digits(to)],
    // The batch is named after its days, without initials. It is financial, for every purpose, and not final.
    ...[text(`${from} ${to}`), text(''), 1, 0, 0, text(currency)],
    ...['', text(''), '', '', text(chart.slice(-2)), '', '', text(''), text('')],
  ];
  return `\uFEFF${line(first)}${line(columns)}`;
}

/** An entry: its amount moves from the credited account to the debited one, which is the account of the row. */
export function batchLine(row: BatchRow, { debit, credit }: { debit: string; credit: string }): string {
  const { amountMinor, currency, day, documentNumber, kind, trxToken, about } = row;
  const money = [amountText(amountMinor, currency).replace('.', ','), text('S'), text(currency), '', '', ''];
  const document = documentNumber === null ? '' : text(documentNumber);
  const words = text(`${names[kind]} ${trxToken ?? about}`.slice(0, 60));
  const filled = [...money, debit, credit, '', `${day.slice(8)}${day.slice(5, 7)}`, document, '', '', words];
  return line([...filled, ...Array<string>(columns.length - filled.length).fill('')]);
}

const line = (fields: readonly (string | number)[]) => `${fields.join(';')}\r\n`;
const text = (value: string) => `"${value.replaceAll('"', '""')}"`;
const digits = (day: string) => day.replaceAll('-', '');

/** What an entry is, in the language of the people who use DATEV. */
const names: Record<BatchRow['kind'], string> = {
  charge: 'Zahlung',
  refund: 'Erstattung',
  refund_failed: 'Erstattung zurück',
  dispute: 'Rückbuchung',
  balance: 'Kundenguthaben',
  gift: 'Geschenk eingelöst',
  fee: 'Gebühr',
  payout: 'Auszahlung',
  store_payment: 'Zahlung im Store',
  store_refund: 'Erstattung im Store',
  recognition: 'Erlös',
};

const numbered = (count: number, namesOf: (place: number) => readonly string[]) =>
  Array.from({ length: count }, (_none, index) => namesOf(index + 1)).flat();

const columns: readonly string[] = [
  ...['Umsatz (ohne Soll/Haben-Kz)', 'Soll/Haben-Kennzeichen', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz'],
  ...['WKZ Basis-Umsatz', 'Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum', 'Belegfeld 1'],
  ...['Belegfeld 2', 'Skonto', 'Buchungstext', 'Postensperre', 'Diverse Adressnummer', 'Geschäftspartnerbank'],
  ...['Sachverhalt', 'Zinssperre', 'Beleglink'],
  ...numbered(8, (place) => [`Beleginfo - Art ${place}`, `Beleginfo - Inhalt ${place}`]),
  ...['KOST1 - Kostenstelle', 'KOST2 - Kostenstelle', 'Kost-Menge', 'EU-Land u. UStID (Bestimmung)'],
  ...['EU-Steuersatz (Bestimmung)', 'Abw. Versteuerungsart', 'Sachverhalt L+L', 'Funktionsergänzung L+L'],
  ...['BU 49 Hauptfunktionstyp', 'BU 49 Hauptfunktionsnummer', 'BU 49 Funktionsergänzung'],
  ...numbered(20, (place) => [`Zusatzinformation - Art ${place}`, `Zusatzinformation- Inhalt ${place}`]),
  ...['Stück', 'Gewicht', 'Zahlweise', 'Forderungsart', 'Veranlagungsjahr', 'Zugeordnete Fälligkeit', 'Skontotyp'],
  ...['Auftragsnummer', 'Buchungstyp', 'USt-Schlüssel (Anzahlungen)', 'EU-Land (Anzahlungen)'],
  ...['Sachverhalt L+L (Anzahlungen)', 'EU-Steuersatz (Anzahlungen)', 'Erlöskonto (Anzahlungen)', 'Herkunft-Kz'],
  ...['Buchungs GUID', 'KOST-Datum', 'SEPA-Mandatsreferenz', 'Skontosperre', 'Gesellschaftername'],
  ...['Beteiligtennummer', 'Identifikationsnummer', 'Zeichnernummer', 'Postensperre bis'],
  ...['Bezeichnung SoBil-Sachverhalt', 'Kennzeichen SoBil-Buchung', 'Festschreibung', 'Leistungsdatum'],
  ...['Datum Zuord. Steuerperiode', 'Fälligkeit', 'Generalumkehr (GU)', 'Steuersatz', 'Land'],
  ...['Abrechnungsreferenz', 'BVV-Position', 'EU-Land u. UStID (Ursprung)', 'EU-Steuersatz (Ursprung)'],
  'Abw. Skontokonto',
];
