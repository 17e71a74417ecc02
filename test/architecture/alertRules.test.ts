import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { alertCases, type Series } from '../support/alertCases';

/** The alert rules by Prometheus' own program, with series that are just on each side of their limits. */

const rules = path.join(__dirname, '../../deploy/prometheus/alerts.yml');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const withPromtool = hasPromtool ? describe : describe.skip;

let folder: string;

beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'paywall-alerts-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** What promtool prints about a run of the rules over series. Empty if exactly the expected alerts fire. */
function run(alert: string, series: Series, at: number, isExpected: boolean): string {
  const file = path.join(folder, 'cases.yml');
  const inputs = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  // The number of alerts that fire. Their texts are compared by other tests.
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) > 0`;
  const found = [{ labels: '{}', value: 1 }];
  const cases = [
    {
      interval: '1m',
      input_series: inputs,
      promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: isExpected ? found : [] }],
    },
  ];
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: cases }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

const RuleNames = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) });

test('each rule has a case, and each case has its rule', () => {
  const { groups } = RuleNames.parse(parse(readFileSync(rules, 'utf8')));
  const named = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  expect([...new Set(alertCases.map(({ alert }) => alert))].toSorted()).toEqual(named.toSorted());
});

withPromtool(`the rules by promtool${hasPromtool ? '' : ' (skipped: no promtool is found)'}`, () => {
  test('all rules can be read', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });
    expect(`${status} ${stderr}`).toBe('0 ');
    expect(stdout).toContain('SUCCESS');
  });

  test.each(alertCases)('$alert fires above its limit, and keeps silent at it', ({ alert, fires, keepsSilent, at }) => {
    expect(run(alert, fires, at, true)).toBe('');
    expect(run(alert, keepsSilent, at, false)).toBe('');
  });
});
