import { findViolations } from './checker';
import { createExample, recorded } from './example';
import { missedRules, plantedRules, withoutLastWebhook } from './selfCheck';

test('a rule that finds no more than before is missed', () => {
  const found = { rule: 'money', what: 'S-1 was charged twice', lines: [] };
  expect(missedRules([], [found])).toEqual(plantedRules.filter((rule) => rule !== 'money'));
  expect(missedRules([found], [found])).toEqual(plantedRules);
  expect(missedRules([found], [found, found])).not.toContain('money');
});

test('the event that a back end received last is missing, however often it was sent', () => {
  const { entries, books } = createExample();
  const history = recorded(entries);
  expect(withoutLastWebhook([])).toEqual([]);
  expect(findViolations(withoutLastWebhook(history), books)).toMatchObject([
    { what: 'the back end of merchant 1 did not receive event 1 (subscribe.success)' },
  ]);
});
