import { execFile } from 'node:child_process';
import { teller } from '../../scripts/program';
import { numbersOf, type Plan } from './schedule';
import { type PlanPart, rangesOf, shrinkPlan } from './shrink';

/**
 * Runs the plan, and then parts of it, each as a program of its own, and prints the options of the smallest part that breaks
 * one of the same rules. Ends with 1 if the plan breaks one. A run that depends on the order of processes may pass by luck.
 */
export async function shrinkRun(plan: Plan, { history, runsMax }: { history: string; runsMax: number }): Promise<void> {
  const whole = plan.options.replace(/ --only-.*$/, '');
  const optionsOf = ({ operations, faults }: PlanPart) =>
    `${whole} --only-operations ${rangesOf(operations)} --only-faults ${rangesOf(faults)}`;
  const tell = teller();
  const run = (kept: PlanPart) => brokenRules([...optionsOf(kept).split(' '), '--history', history]);
  const smallest = await shrinkPlan(numbersOf(plan), { run, runsMax, tell });
  if (!smallest) return tell('No promise was broken, so there is nothing to shrink');
  process.exitCode = 1;
  console.log(`npm run simulate -- ${optionsOf(smallest)}`);
}

function brokenRules(options: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const program = [__filename.replace(/shrinkRun(\.\w+)$/, 'main$1'), ...options];
    execFile(process.execPath, program, { maxBuffer: 1e9 }, (_, output, errors) => {
      const rules = [...output.matchAll(/^VIOLATION of ([^:]+): /gm)].map(([, rule = '']) => rule);
      if (/^\d+ violations$/m.test(output)) resolve([...new Set(rules)]);
      else reject(new Error(`A run did not end:\n${output}${errors}`));
    });
  });
}
