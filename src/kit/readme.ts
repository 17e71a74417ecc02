import { z } from 'zod';
import { policyTables } from './policy';
import { type Route } from './routes';

/** Writes the tables of endpoints and of their callers into a document, from the declarations. */
export function withEndpointTable(document: string, routes: readonly Route[]): string {
  return withTable(document, 'endpoints', policyTables(routes));
}

export interface Settings {
  schema: z.ZodObject;
  /** Settings that can also be given as `NAME_FILE`, the path of a file. */
  secrets: readonly string[];
  requiredInProduction: readonly string[];
}

/** Writes the table of settings into a document, from the declarations. */
export function withSettingsTable(document: string, { schema, secrets, requiredInProduction }: Settings): string {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '', default: fallback } = property as {
      description?: string;
      default?: string | number | boolean;
    };
    const marks = [secrets.includes(name) ? 'F' : '', requiredInProduction.includes(name) ? 'P' : ''].join('');
    return `| \`${name}\` | ${textOf(fallback)} | ${marks} | ${description} |`;
  });
  return withTable(
    document,
    'settings',
    ['| Setting | Default | | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  );
}

const textOf = (fallback: string | number | boolean | undefined) =>
  fallback === undefined || fallback === '' ? '' : `\`${String(fallback)}\``;

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
function withTable(document: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = document.slice(0, document.indexOf(start) + start.length);
  const after = document.slice(document.indexOf(end));
  return `${before}\n\n${table}\n\n${after}`;
}
