import { paidWith, renderInvoice } from '../../src/invoices/document';
import { type IssuedInvoice } from '../../src/invoices/lists.model';
import { languages, type Language } from '../../src/kit/languages';
import { mailLocales, wordsIn } from '../../src/mail/words';
import { issuedInvoice } from '../support/issuedInvoice';
import { wordsOf } from '../support/receipts';

/** The mark of test documents, and why a document has no tax, as a reader of the PDF finds them in each language. */

const amounts = { netMinor: 450, taxMinor: 0, grossMinor: 450, rateMilli: 0 };
const line = { kind: 'item', text: 'Cup final', detail: '', starts_at: null, ends_at: null } as const;

/** A document without tax and without a reason for it. */
const documentOf = (language: Language, changes: Partial<IssuedInvoice>): IssuedInvoice => ({
  ...{ ...issuedInvoice, ...amounts, taxCountry: 'ES', treatment: 'not_registered' },
  lines: [{ ...line, net_minor: 450, tax_minor: 0, gross_minor: 450 }],
  buyer: { ...issuedInvoice.buyer, language },
  ...changes,
});

async function linesOf(language: Language, changes: Partial<IssuedInvoice>): Promise<string[]> {
  const { bytes } = await renderInvoice(documentOf(language, changes));
  return (await wordsOf(new Response(new Uint8Array(bytes)))).split('\n');
}

const plain = Object.fromEntries(languages.map((language) => [language, [] as string[]]));
beforeAll(async () => {
  for (const language of languages) plain[language] = await linesOf(language, {});
});

/** The lines that a document has and a plain one has not. */
const addedBy = async (language: Language, changes: Partial<IssuedInvoice>): Promise<string[]> =>
  (await linesOf(language, changes)).filter((one) => plain[language]?.includes(one) !== true);

/** Arabic letters that differ only by their points. */
const sameShapes = ['اأإآ', 'بتثنيئى', 'جحخ', 'دذ', 'رز', 'سش', 'صض', 'طظ', 'عغ', 'فق', 'هة', 'وؤ'];

/** The fonts draw the points of Arabic letters apart, so a reader of the file finds other letters of the same shape. */
const arabicShapes = (text: string) =>
  (text.match(/\p{L}/gu) ?? []).map((letter) => sameShapes.find((same) => same.includes(letter))?.[0] ?? letter).sort();

function expectText(language: Language, lines: string[], text: string): void {
  if (language === 'ar') expect(lines.map(arabicShapes)).toContainEqual(arabicShapes(text));
  else expect(lines.join(' ')).toBe(text);
}

describe.each(languages)('%s', (language) => {
  const texts = mailLocales[language].documents;

  test('a test document is marked, and another is not', async () => {
    expectText(language, await addedBy(language, { isTest: true }), texts.test);
  });

  test.each([
    ['outside_scope', texts.outsideScope],
    ['reverse_charge', texts.reverseCharge],
    ['exempt', texts.exempt],
  ] as const)('%s: the document says why it has no tax', async (treatment, text) => {
    expectText(language, await addedBy(language, { treatment }), text);
  });

  test.each([
    ['direct debit', '3000', texts.card.replace('{name}', texts.directDebit).replace('{digits}', '3000')],
    ['ideal', '', 'iDEAL'],
    ['paypal', '', 'PayPal'],
    ['google_pay', '', 'Google Pay'],
    ['link', '', 'Link'],
    ['visa', '4242', texts.card.replace('{name}', 'Visa').replace('{digits}', '4242')],
  ])('%s %s: the document names what has paid', (paid_with, last_four, text) => {
    expect(paidWith(paid_with, last_four, wordsIn(language))).toBe(text);
  });
});

test('each language has texts of its own', () => {
  for (const key of ['test', 'outsideScope', 'reverseCharge', 'exempt', 'directDebit'] as const)
    expect(new Set(languages.map((language) => mailLocales[language].documents[key])).size).toBe(languages.length);
});

test.each(['credit_note', 'cancellation'] as const)('a test %s is marked', async (kind) => {
  expect(await linesOf('en', { isTest: true, kind })).toContain(mailLocales.en.documents.test);
});

test('a document with its tax gives no reason', async () => {
  for (const treatment of ['domestic', 'oss']) expect(await linesOf('en', { treatment })).toEqual(plain['en']);
});
