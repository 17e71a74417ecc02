import { readFileSync } from 'node:fs';
import path from 'node:path';
import { answers, citationsOf, complaintAbout, namesOf, readRows, requirements, summaryOf } from '../support/asvs';

/** docs/security/asvs.md answers every requirement, and what it names as evidence exists. */

const root = path.resolve(__dirname, '../..');
const document = readFileSync(path.join(root, 'docs/security/asvs.md'), 'utf8');
const rows = readRows(document);

test('the list has the 70 requirements of level 1 and the 183 of level 2', () => {
  const levels = [...requirements.values()];
  expect([1, 2].map((level) => levels.filter((found) => found === level).length)).toEqual([70, 183]);
});

test('every requirement is answered once, with its level', () => {
  expect(rows.map(({ number }) => number).filter((number, index, all) => all.indexOf(number) !== index)).toEqual([]);
  expect(new Map(rows.map(({ number, level }) => [number, level]))).toEqual(requirements);
});

test('every answer is one of three, with its evidence or its reason', () => {
  const unclear = rows.filter(
    ({ answer, requirement, evidence }) =>
      !answers.includes(answer as 'met') || requirement.length < 5 || evidence.length < 10,
  );
  expect(unclear).toEqual([]);
  const without = rows.filter(({ answer, evidence }) => answer === 'met' && citationsOf(evidence).length === 0);
  expect(without.map(({ number }) => number)).toEqual([]);
});

test.each(['asvs.md', 'threat-model.md'])('every file and every test that %s names exists', (name) => {
  const citations = citationsOf(readFileSync(path.join(root, 'docs/security', name), 'utf8'));
  expect(citations.length).toBeGreaterThan(40);
  expect(citations.map((citation) => complaintAbout(citation, root)).filter(Boolean)).toEqual([]);
});

test('the summary counts the answers', () => {
  expect(document).toContain(`<!-- summary -->\n\n${summaryOf(rows)}\n\n<!-- /summary -->`);
});

describe('the check of citations reports', () => {
  test('a file that is missing, a test without its title, and a title that is missing', () => {
    const text =
      'See `src/gone.ts`, `test/config.test.ts`, `test/config.test.ts`: “no such test”, `Dockerfile` and `README.md`.';
    expect(citationsOf(text).map((citation) => complaintAbout(citation, root))).toEqual([
      'src/gone.ts does not exist',
      'test/config.test.ts is named without the title of a test',
      'test/config.test.ts has no test “no such test”',
      undefined,
      undefined,
    ]);
  });

  test('reads titles of groups and tests, and of none that does not run', () => {
    const text = `
      describe('a group', () => { test('one', () => undefined); it.each([1])('two %s', () => undefined); });
      describeInBrowser('in a browser', () => { test.skip('three', () => undefined); });
      // test('four', () => undefined);
      const text = "test('five')";`;
    expect(namesOf(text)).toEqual(['a group', 'one', 'two %s', 'in a browser']);
  });
});
