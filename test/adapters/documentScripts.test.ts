import { renderDocument, type DocumentText } from '../../src/adapters/documents/document';
import { wordsOf } from '../support/receipts';

/** Documents in all scripts that the packaged fonts have, as a program reads them. */

const names: [script: string, name: string][] = [
  ['Simplified Chinese', '欧阳娜娜有限公司'],
  ['Traditional Chinese', '臺灣歐陽龍'],
  ['Japanese', '山田たろう、カフェ'],
  ['Korean', '김민수 서울특별시'],
  ['Thai', 'สมชาย ใจดี ปู่'],
  ['Devanagari', 'नमन शर्मा'],
  ['Bengali', 'রহমান আলম'],
  ['Tamil', 'தமிழ்ச்செல்வன்'],
  ['Georgian', 'გიორგი ბერიძე'],
  ['Armenian', 'Արամ Պետրոսյան'],
  ['Gujarati', 'અમન શાહ'],
  ['Gurmukhi', 'ਅਮਨ ਸਰਨ'],
  ['Telugu', 'రామ రావు'],
  ['Kannada', 'ಅರುಣ ಗೌಡ'],
  ['Malayalam', 'അരുൺ നായർ'],
  ['Oriya', 'ଅରୁଣ ଦାସ'],
  ['Sinhala', 'අරුණ සරත්'],
  ['Khmer', 'សុខ ចាន់'],
  ['Lao', 'ສົມສັກ'],
  ['Burmese', 'အောင်မင်း'],
  ['Ethiopic', 'አበበ ቢቂላ'],
];

const document = (merchant: string, lines: readonly string[] = []): DocumentText => ({
  language: 'en',
  direction: 'ltr',
  merchant,
  title: 'Invoice',
  facts: [],
  parties: [{ title: 'Customer', country: 'DE', lines }],
  lines: [],
  total: { text: merchant, amounts: ['1'] },
  after: [],
  footer: '',
});

const wordsIn = async (text: DocumentText) => wordsOf(new Response(new Uint8Array(await renderDocument(text))));

/** The signs of a line in an order: a program reads some signs of Indian scripts in the order of their shapes. */
const signsOf = (line: string) => [...line.replaceAll(' ', '')].sort().join('');

test.each(names)('%s is written with a font of its own, in plain and in bold text', async (_, name) => {
  const words = await wordsIn(document(name, [name]));
  const lines = words.split('\n').map(signsOf);
  // The heading, the address and the total with its amount.
  for (const expected of [name, `${name}1`]) expect(lines).toContain(signsOf(expected));
  expect(lines.filter((line) => line === signsOf(name))).toHaveLength(2);
});

test('all scripts fit in one document', async () => {
  const words = await wordsIn(
    document(
      'News Ltd',
      names.map(([, name]) => name),
    ),
  );
  expect(words).not.toContain('?');
});

test('a sign that no font has, such as an emoji, is a question mark', async () => {
  expect(await wordsIn(document('News 🎬 Ltd'))).toContain('News ? Ltd');
});
