import { type Books, type DocumentRow, type SaleRow } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/**
 * Each paid charge and each refund of a merchant with a tax profile has one document with its amounts, and nothing else has
 * one. The numbers of a merchant have no gap in a year and a series.
 */
export function checkDocuments(history: readonly Recorded[], { sales, documents }: Books): Found[] {
  const standing = withoutCanceled(documents);
  const ofSale = Map.groupBy(standing, nameOf);
  const names = new Set(sales.map(nameOf));
  const complaints = [
    ...sales.flatMap((sale) => complaintsAbout(sale, ofSale.get(nameOf(sale)) ?? [])),
    ...standing.filter((row) => !names.has(nameOf(row))).map((row): Complaint => [row, 'has a document without money']),
    ...documents.filter((row) => !addsUp(row)).map((row): Complaint => [row, 'has a document that does not add up']),
  ];
  return [
    ...complaints.map(([{ kind, key }, what]) => ({
      what: `${kind} of ${key}: ${what}`,
      lines: linesAbout(history, key),
    })),
    ...gapsIn(documents).map((what) => ({ what, lines: [] })),
  ];
}

type Named = Pick<DocumentRow, 'kind' | 'key'>;
type Complaint = [Named, string];

const nameOf = ({ kind, key }: Named) => `${kind} ${key}`;

/** A credit note and the document that cancels it have the same key. */
function withoutCanceled(documents: readonly DocumentRow[]): DocumentRow[] {
  const canceled = new Set(documents.filter(({ kind }) => kind === 'cancellation').map(({ key }) => key));
  return documents.filter(({ kind, key }) => kind === 'invoice' || (kind === 'credit_note' && !canceled.has(key)));
}

function complaintsAbout(sale: SaleRow, found: readonly DocumentRow[]): Complaint[] {
  const { kind, amountMinor, tax } = sale;
  const [document] = found;
  if (!tax) return [[sale, 'has no tax']];
  if (!addsUp(tax) || tax.grossMinor !== amountMinor) return [[sale, `has a tax that is not of ${amountMinor}`]];
  if (!document || found.length > 1) return [[sale, `has ${found.length} documents`]];
  const sign = kind === 'invoice' ? 1 : -1;
  const isSame = document.grossMinor === sign * tax.grossMinor && document.taxMinor === sign * tax.taxMinor;
  return isSame
    ? []
    : [
        [
          sale,
          `has ${document.grossMinor} with ${document.taxMinor} of tax, not ${tax.grossMinor} with ${tax.taxMinor}`,
        ],
      ];
}

const addsUp = ({ netMinor, taxMinor, grossMinor }: Pick<DocumentRow, 'netMinor' | 'taxMinor' | 'grossMinor'>) =>
  netMinor + taxMinor === grossMinor;

function gapsIn(documents: readonly DocumentRow[]): string[] {
  const sequences = Map.groupBy(documents, ({ merchantUuid, year, series }) =>
    `${merchantUuid} ${year} ${series}`.trim(),
  );
  return [...sequences].flatMap(([sequence, rows]) => {
    const numbers = rows.map(({ sequenceNo }) => sequenceNo).sort((a, b) => a - b);
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    return gap < 0 ? [] : [`the documents of merchant ${sequence} have ${numbers[gap]} where ${gap + 1} follows`];
  });
}
