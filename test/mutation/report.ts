import { type MutantResult } from '@stryker-mutator/api/core';

/** The mutants of one file. */
export interface Score {
  file: string;
  caught: number;
  missed: number;
}

/** A mutant that does not run at all proves nothing. */
export function scoreOf(file: string, mutants: readonly Pick<MutantResult, 'status'>[]): Score {
  const count = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  return { file, caught: count('Killed', 'Timeout'), missed: count('Survived', 'NoCoverage') };
}

/** The percentage of caught mutants, rounded down, so that 100.0 is all of them. */
export function percentOf({ caught, missed }: Omit<Score, 'file'>): string {
  const mutants = caught + missed;
  return (mutants === 0 ? 100 : Math.floor((caught * 1000) / mutants) / 10).toFixed(1);
}

const head = `# Results of the mutation tests

\`npm run mutation -- --report docs/mutation-results.md\` writes this page, and replaces the lines of the files that it tries.
[Reliability](reliability.md#changed-operators) explains it.

| File | Mutants | Caught | Missed | Score (%) | Date (UTC) | Commit |
| --- | --- | --- | --- | --- | --- | --- |
`;

const linePattern = /^\| `(.+)` \| \d+ \| (\d+) \| (\d+) \| .+ \|$/gm;

/** The page with the line of a file, from the text of the page so far. The last line has the sum. */
export function withScore(text: string, score: Score, { date, commit }: { date: string; commit: string }): string {
  const before = [...text.matchAll(linePattern)].map(([line, file = '', caught, missed]) => ({
    line,
    score: { file, caught: Number(caught), missed: Number(missed) },
  }));
  const added = { line: `| \`${score.file}\` | ${cellsOf(score)} | ${date} | ${commit} |`, score };
  const lines = [...before.filter(({ score: { file } }) => file !== score.file), added];
  lines.sort((one, other) => (one.score.file < other.score.file ? -1 : 1));
  const all = {
    caught: lines.reduce((sum, { score: { caught } }) => sum + caught, 0),
    missed: lines.reduce((sum, { score: { missed } }) => sum + missed, 0),
  };
  return `${head}${lines.map(({ line }) => `${line}\n`).join('')}| All | ${cellsOf(all)} | | |\n`;
}

const cellsOf = (score: Omit<Score, 'file'>) =>
  [score.caught + score.missed, score.caught, score.missed, percentOf(score)].join(' | ');
