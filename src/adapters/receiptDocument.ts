import type PdfKit from 'pdfkit';
import { lazily } from '../kit/lazily';

const pdfkit = lazily<typeof PdfKit>(require, 'pdfkit');

/** A receipt as text: amounts and dates are formatted for people. */
export interface ReceiptText {
  merchant: string;
  /** The name of the document: "Receipt". */
  title: string;
  /** Facts about the document: label and value. */
  facts: readonly (readonly [label: string, value: string])[];
  lines: readonly ReceiptLine[];
  total: ReceiptLine;
  /** The refunds, listed after the total. */
  refunds: readonly ReceiptLine[];
  footer: string;
}

export interface ReceiptLine {
  text: string;
  detail?: string;
  amount: string;
}

const ink = '#1b1b1f';
const grey = '#6b6b76';
const rule = '#dcdce2';
const left = 56;
const right = 595 - left;
const width = right - left;

/** One page of A4. Without `fontFile` (TrueType) the font is Helvetica, which has the letters of Western Europe. */
export function renderReceipt(receipt: ReceiptText, fontFile?: string): Promise<Buffer> {
  const PDFDocument = pdfkit();
  const document = new PDFDocument({
    size: 'A4',
    margins: { top: 64, bottom: 56, left, right: left },
    info: { Title: `${receipt.title}, ${receipt.merchant}`, Author: receipt.merchant },
  });
  const bytes: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (part: Buffer) => bytes.push(part));
    document.on('end', () => resolve(Buffer.concat(bytes)));
    document.on('error', reject);
  });
  draw(document, receipt, fontFile);
  document.end();
  return done;
}

type Document = InstanceType<ReturnType<typeof pdfkit>>;

function draw(document: Document, receipt: ReceiptText, fontFile: string | undefined): void {
  document.registerFont('plain', fontFile ?? 'Helvetica').registerFont('bold', fontFile ?? 'Helvetica-Bold');
  const text = fontFile === undefined ? asLatin : (words: string) => words;
  const line = ({ text: words, detail, amount }: ReceiptLine, font: 'plain' | 'bold') => {
    const { y } = document;
    document.font(font).fontSize(11).fillColor(ink);
    document.text(text(amount), left, y, { width, align: 'right' });
    document.text(text(words), left, y, { width: width - 130 });
    if (detail !== undefined)
      document
        .font('plain')
        .fontSize(9)
        .fillColor(grey)
        .text(text(detail), left, document.y + 2, { width: width - 130 });
    document.y += 9;
  };
  const ruler = () => {
    document.moveTo(left, document.y).lineTo(right, document.y).lineWidth(0.75).strokeColor(rule).stroke();
    document.moveDown(0.8);
  };

  document.font('bold').fontSize(20).fillColor(ink).text(text(receipt.merchant), { width });
  document.font('plain').fontSize(12).fillColor(grey).text(text(receipt.title)).moveDown(2);
  for (const [label, value] of receipt.facts) {
    const { y } = document;
    document.font('plain').fontSize(10).fillColor(grey).text(text(label), left, y, { width: 110 });
    document
      .fillColor(ink)
      .text(text(value), left + 120, y, { width: width - 120 })
      .moveDown(0.4);
  }
  document.moveDown(1.6);
  ruler();
  for (const each of receipt.lines) line(each, 'plain');
  ruler();
  line(receipt.total, 'bold');
  for (const each of receipt.refunds) line(each, 'plain');
  document.moveDown(2);
  document.font('plain').fontSize(9).fillColor(grey).text(text(receipt.footer), left, document.y, { width });
}

/**
 * Helvetica in PDF has the 256 characters of WinAnsi. Missing accents are dropped, and other alphabets become question
 * marks.
 */
function asLatin(words: string): string {
  const isKnown = (sign: string) => /[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/.test(sign);
  return [...words]
    .map((sign) => (isKnown(sign) ? sign : (sign.normalize('NFKD').match(/[\x20-\x7e]/)?.[0] ?? '?')))
    .join('');
}
