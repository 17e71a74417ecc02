import { execFile } from 'node:child_process';
import path from 'node:path';
import { filesOf, plant, refusalOf, takeBack } from './copies';
import { type Mutant } from './mutants';

/**
 * The bugs that do not compile, with the words of the compiler. They prove nothing, because every test fails with them. Bugs
 * that do not touch each other are compiled together.
 */
export async function findUncompilable(copy: string, mutants: readonly Mutant[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let waiting = mutants;
  while (waiting.length > 0) {
    const { planted, others } = await plantTogether(copy, waiting);
    // The rest do not fit the sources.
    if (planted.length === 0) break;
    const complaints = await compile(copy);
    for (const mutant of planted.toReversed()) await takeBack(copy, mutant);
    if (complaints !== '') await compileAlone(copy, suspectsOf(planted, complaints), found);
    waiting = others;
  }
  return found;
}

async function plantTogether(copy: string, mutants: readonly Mutant[]) {
  const [planted, others]: [Mutant[], Mutant[]] = [[], []];
  for (const mutant of mutants) {
    const fits = (await refusalOf(copy, mutant)) === undefined;
    if (fits) await plant(copy, mutant);
    (fits ? planted : others).push(mutant);
  }
  return { planted, others };
}

/** Those with an error in a file that they change. An error elsewhere can be of each of them. */
function suspectsOf(planted: readonly Mutant[], complaints: string): readonly Mutant[] {
  const named = planted.filter((mutant) => filesOf(mutant).some((file) => complaints.includes(`${file}(`)));
  return named.length > 0 ? named : planted;
}

async function compileAlone(copy: string, suspects: readonly Mutant[], found: Map<string, string>): Promise<void> {
  for (const mutant of suspects) {
    await plant(copy, mutant);
    const complaints = await compile(copy);
    await takeBack(copy, mutant);
    if (complaints !== '') found.set(mutant.name, complaints);
  }
}

/** What the compiler says against the sources. Empty if they are correct. */
function compile(copy: string): Promise<string> {
  const compiler = path.join(copy, 'node_modules/.bin/tsc');
  return new Promise((resolve) => {
    execFile(compiler, ['--noEmit', '-p', 'tsconfig.json'], { cwd: copy, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve(error ? stdout + stderr : ''),
    );
  });
}
