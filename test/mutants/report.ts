import { type Verdict } from './mutants';

/** A planted bug that was tried. */
export interface Tried {
  name: string;
  verdict: Verdict;
  /** UTC. */
  date: string;
  commit: string;
}

const head = `# Results of the reliability proofs

## Planted bugs

\`npm run mutants -- --report docs/reliability-results.md\` writes this part, and replaces the lines of the bugs that it tries.
[Reliability](reliability.md#do-the-tests-find-bugs) explains it.

`;
const columns = `| Bug | Result | Test that failed | Date (UTC) | Commit |
| --- | --- | --- | --- | --- |
`;
const linePattern = /^\| `([a-z0-9-]+)` \| (\w+) \| .* \|$/gm;
const nextPart = /^## (?!Planted bugs)/m;

/**
 * The page with the lines of the tried bugs, from the text of the page so far. `names`: all planted bugs. The line of a bug
 * that does not exist any more is left out.
 */
export function withVerdicts(text: string, tried: readonly Tried[], names: readonly string[]): string {
  const lines = new Map([...text.matchAll(linePattern)].map(([line, name = '', result]) => [name, { line, result }]));
  for (const one of tried) lines.set(one.name, { line: lineOf(one), result: one.verdict.verdict });
  const known = names.toSorted().flatMap((name) => lines.get(name) ?? []);
  const caught = known.filter(({ result }) => result === 'caught').length;
  const untried = names.length - known.length;
  const sum = `${caught} of ${names.length} planted bugs were caught${untried > 0 ? `, and ${untried} ${untried === 1 ? 'was' : 'were'} not tried` : ''}.\n\n`;
  const rest = text.slice(nextPart.exec(text)?.index ?? text.length);
  const table = columns + known.map(({ line }) => `${line}\n`).join('');
  return `${head}${sum}${table}${rest && `\n${rest}`}`;
}

function lineOf({ name, verdict, date, commit }: Tried): string {
  const by = verdict.verdict === 'caught' ? verdict.by.replaceAll('|', '\\|') : '';
  return `| ${[`\`${name}\``, verdict.verdict, by, date, commit].join(' | ')} |`;
}
