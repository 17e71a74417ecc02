import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { addToReport, readCommit } from '../../scripts/program';
import { percentOf, scoreOf, type Score, withScore } from './report';

/**
 * `npm run mutation`: changes each operator, condition and constant of the pure core, one at a time, and runs the tests of its
 * file. `npm run mutation -- src/billing/dues.ts` tries only this file, and `--report` writes the scores to a page. Ends with 1
 * if a file's score is below the least one of the settings.
 */
const configFile = 'test/mutation/stryker.config.js';

async function main(): Promise<void> {
  process.chdir(path.join(__dirname, '../../..'));
  const { values, positionals } = parseArgs({ options: { report: { type: 'string' } }, allowPositionals: true });
  const { mutate: core } = createRequire(path.resolve('package.json'))(`./${configFile}`) as { mutate: string[] };
  const unknown = positionals.filter((file) => !core.includes(file));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is not in ${configFile}.`);
  const scores: Score[] = [];
  // One file after the other, because a changed constant runs all tests of the run.
  for (const file of positionals.length > 0 ? positionals : core) {
    const score = scoreOf(file, await new Stryker({ configFile, mutate: [file] }).runMutationTest());
    scores.push(score);
    const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
    if (values.report !== undefined)
      addToReport(values.report, (text) => withScore(text, score, { date, commit: readCommit() }));
  }
  for (const score of scores) console.log(`${percentOf(score).padStart(5)} %  ${score.file}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
