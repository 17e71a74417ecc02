import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { validateXML } from 'xmllint-wasm';
import { findRuleFaults } from './businessRules';

const folder = path.join(__dirname, 'facturX');
const main = 'Factur-X_EN16931.xsd';

const files = readdirSync(folder)
  .filter((fileName) => fileName.endsWith('.xsd'))
  .map((fileName) => ({ fileName, contents: readFileSync(path.join(folder, fileName), 'utf8') }));

/** What the published schema of Factur-X, profile EN 16931, says against an invoice. */
export async function findSchemaFaults(contents: string): Promise<string[]> {
  const schema = files.filter(({ fileName }) => fileName === main);
  const preload = files.filter(({ fileName }) => fileName !== main);
  const { errors } = await validateXML({ xml: { fileName: 'factur-x.xml', contents }, schema, preload });
  return errors.map(({ message }) => message);
}

/** What the schema, and then the fatal business rules of EN 16931, say against an invoice. */
export async function findFaults(xml: string): Promise<string[]> {
  return [...(await findSchemaFaults(xml)), ...findRuleFaults(xml)];
}

/** The texts of an element, in the order of the document. */
export const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>([^<]*)<`, 'g'))].map(([, text = '']) => text);
