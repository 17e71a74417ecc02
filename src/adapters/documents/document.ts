import type PdfKit from 'pdfkit';
import { lazily } from '../../kit/lazily';
import { DocumentFonts, type Weight } from './fonts';
import { facturXMetadata } from './metadata';
import { composed, type Piece, piecesOf, wrap } from './lines';
import { type Region, regionOf } from './regions';

const pdfkit = lazily<typeof PdfKit>(require, 'pdfkit');
type Pdf = InstanceType<ReturnType<typeof pdfkit>>;

/** A receipt or an invoice as text: amounts and dates are formatted for people. */
export interface DocumentText {
  /** BCP 47, such as `ar`. */
  language: string;
  direction: 'ltr' | 'rtl';
  merchant: string;
  /** The seller's country (ISO 3166): Han characters have its shapes. */
  country?: string | undefined;
  /** The name of the document: "Receipt". */
  title: string;
  /** A warning above everything else, such as that the document is a test. */
  mark?: string | undefined;
  /** Facts about the document: label and value. */
  facts: readonly (readonly [label: string, value: string])[];
  /** Addresses, side by side. */
  parties?: readonly Party[];
  /** The headings of the amounts. */
  columns?: readonly string[];
  lines: readonly DocumentLine[];
  total: DocumentLine;
  /** What follows the total, such as refunds. */
  after: readonly DocumentLine[];
  notes?: readonly string[];
  footer: string;
  /** XML of Factur-X, profile EN 16931. It makes the document a PDF/A-3. */
  facturX?: string | undefined;
}

interface Party {
  title: string;
  /** ISO 3166; empty if it is not known. */
  country: string;
  lines: readonly string[];
}

export interface DocumentLine {
  text: string;
  detail?: string;
  /** One for each column. */
  amounts: readonly string[];
}

const ink = '#1b1b1f';
const grey = '#6b6b76';
const rule = '#dcdce2';
const red = '#b42318';
const pageWidth = 595;
const margin = 56;
const width = pageWidth - 2 * margin;
const amountWidth = 84;
const bottom = 842 - margin;

/**
 * Pages of A4. `ownFont` (TrueType) has the signs that the packaged fonts lack. A sign without one becomes a question mark.
 */
export function renderDocument(text: DocumentText, ownFont?: string): Promise<Buffer> {
  const PDFDocument = pdfkit();
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    lang: text.language,
    ...(text.facturX === undefined ? { info: namesOf(text) } : archiveOptions(text)),
  });
  const bytes: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (part: Buffer) => bytes.push(part));
    document.on('end', () => resolve(Buffer.concat(bytes)));
    document.on('error', reject);
  });
  new Sheet(document, text, ownFont).draw();
  if (text.facturX !== undefined) embed(document, text.facturX);
  document.end();
  return done;
}

const namesOf = ({ title, merchant }: DocumentText) => ({ Title: `${title}, ${merchant}`, Author: merchant });

/** pdfkit copies these names into XML without escaping them, so the name of the merchant is left out. */
const archiveOptions = ({ title }: DocumentText) =>
  ({ subset: 'PDF/A-3b', pdfVersion: '1.7', info: { Title: title } }) as const;

/** Factur-X prescribes the name of the file and the metadata. */
function embed(document: Pdf, facturX: string): void {
  const name = 'factur-x.xml';
  const at = new Date();
  const options = { name, type: 'text/xml', relationship: 'Alternative', creationDate: at, modifiedDate: at };
  document.file(Buffer.from(facturX), options);
  document.appendXML(facturXMetadata(name));
}

interface Cell {
  /** From the edge at which lines begin. */
  x: number;
  width: number;
  size: number;
  colour: string;
  weight?: Weight;
  isAtEnd?: boolean;
  /** The country of an address, which has a direction of its own. Undefined for other texts. */
  country?: string;
}

/** A cell with its shapes of Han characters. */
type WrittenCell = Cell & { region: Region };

/** Draws from the top to the bottom. Positions count from the edge at which lines begin, left or right. */
class Sheet {
  private y = margin;
  private readonly fonts = new DocumentFonts();

  constructor(
    private readonly pdf: Pdf,
    private readonly text: DocumentText,
    private readonly ownFont: string | undefined,
  ) {}

  draw(): void {
    const { text } = this;
    const whole = { x: 0, width };
    if (text.mark !== undefined) this.row([[text.mark, { ...whole, size: 11, colour: red, weight: 'bold' }]], 10);
    this.row([[text.merchant, { ...whole, size: 20, colour: ink, weight: 'bold' }]], 4);
    this.row([[text.title, { ...whole, size: 12, colour: grey }]], 22);
    this.facts();
    this.parties();
    this.y += 14;
    this.ruler();
    this.headings();
    for (const line of text.lines) this.line(line, 'plain');
    this.ruler();
    this.line(text.total, 'bold');
    for (const line of text.after) this.line(line, 'plain');
    this.y += 14;
    for (const note of text.notes ?? []) this.row([[note, { ...whole, size: 10, colour: ink }]], 6);
    this.row([[text.footer, { ...whole, size: 9, colour: grey }]], 0);
  }

  private facts(): void {
    for (const [label, value] of this.text.facts)
      this.row(
        [
          [label, { x: 0, width: 120, size: 10, colour: grey }],
          [value, { x: 130, width: width - 130, size: 10, colour: ink }],
        ],
        5,
      );
  }

  private parties(): void {
    const { parties = [] } = this.text;
    if (parties.length === 0) return;
    this.y += 12;
    const share = width / parties.length;
    const at = (index: number) => ({ x: index * share, width: share - 16, size: 10 });
    this.row(
      parties.map(({ title }, index) => [title, { ...at(index), colour: grey }]),
      3,
    );
    this.row(
      parties.map(({ lines, country }, index) => [lines.join('\n'), { ...at(index), colour: ink, country }]),
      6,
    );
  }

  private headings(): void {
    const { columns } = this.text;
    if (columns) this.row(this.amountCells(columns, { size: 9, colour: grey, weight: 'plain' }), 8);
  }

  private line({ text, detail, amounts }: DocumentLine, weight: Weight): void {
    const x = 0;
    const room = width - amounts.length * amountWidth - 8;
    const style = { size: 11, colour: ink, weight };
    this.row([[text, { x, width: room, ...style }], ...this.amountCells(amounts, style)], detail === undefined ? 9 : 1);
    if (detail !== undefined) this.row([[detail, { x, width: room, size: 9, colour: grey }]], 9);
  }

  private amountCells(amounts: readonly string[], style: Omit<Cell, 'x' | 'width'>): [string, Cell][] {
    const first = width - amounts.length * amountWidth;
    return amounts.map((amount, index) => [
      amount,
      { x: first + index * amountWidth, width: amountWidth, isAtEnd: true, ...style },
    ]);
  }

  private ruler(): void {
    this.pdf
      .moveTo(margin, this.y)
      .lineTo(pageWidth - margin, this.y)
      .lineWidth(0.75)
      .strokeColor(rule)
      .stroke();
    this.y += 11;
  }

  /** Draws cells side by side, and continues below the highest one. */
  private row(cells: readonly (readonly [text: string, cell: Cell])[], gap: number): void {
    const wrapped = cells.map(([given, plain]) => {
      const text = composed(given);
      const cell = { ...plain, region: regionOf(text, plain.country ?? this.text.country) };
      const lines = text === '' ? [] : wrap(text, cell.width, (line) => this.widthOf(line, cell));
      return { lines, cell, height: lines.length * cell.size * lineHeight };
    });
    const height = Math.max(0, ...wrapped.map((each) => each.height));
    if (this.y + height > bottom && height < bottom - margin) {
      this.pdf.addPage();
      this.y = margin;
    }
    for (const { lines, cell } of wrapped)
      lines.forEach((line, index) => this.place(line, cell, this.y + (index + 0.8) * cell.size * lineHeight));
    this.y += height + gap;
  }

  private place(line: string, cell: WrittenCell, baseline: number): void {
    const spare = cell.width - this.widthOf(line, cell);
    const fromStart = cell.x + (cell.isAtEnd ? spare : 0);
    const total = cell.width - spare;
    let x = this.text.direction === 'rtl' ? pageWidth - margin - fromStart - total : margin + fromStart;
    for (const piece of this.pieces(line, cell)) {
      const { width: advance, ...shaping } = this.measure(piece, cell);
      this.pdf.fillColor(cell.colour);
      this.pdf.text(piece.text, x, baseline, { lineBreak: false, baseline: 'alphabetic', ...shaping });
      x += advance;
    }
  }

  private widthOf(line: string, cell: WrittenCell): number {
    return this.pieces(line, cell).reduce((sum, piece) => sum + this.measure(piece, cell).width, 0);
  }

  /**
   * The width of a piece in points. The library fails at a few words of India and Cambodia. There, marks keep their default
   * place.
   */
  private measure(
    { text, face }: Piece,
    { size }: Cell,
  ): { width: number; features?: PDFKit.Mixins.OpenTypeFeatures[] } {
    this.pdf.registerFont(face.name, face.file).font(face.name).fontSize(size);
    try {
      return { width: this.pdf.widthOfString(text) };
    } catch {
      return { width: this.pdf.widthOfString(text, unplacedMarks), ...unplacedMarks };
    }
  }

  private pieces(line: string, { weight = 'plain', region, country }: WrittenCell) {
    const { fonts, ownFont } = this;
    const direction = country === undefined ? this.text.direction : 'auto';
    return piecesOf(line, { fonts, weight, region, direction, ownFont });
  }
}

const lineHeight = 1.3;

// The types of the library know a list only; the library also accepts features to leave out.
const unplacedMarks = { features: { mark: false, mkmk: false, abvm: false, blwm: false } as never };
