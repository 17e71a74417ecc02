import { z } from 'zod';
import { AppError } from '../../src/kit/errors';
import { formAlias, formBool, formId, formList, formText } from '../../src/kit/form';
import { validate } from '../../src/kit/validate';

const Body = z.object({ name: formText({ max: 5 }), kind: z.enum(['a', 'b']), ids: formList(formId()).optional() });

function complaintOf(check: () => unknown): { error: string; errors: Record<string, string> | undefined } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: error.code, errors: error.details.errors };
  }
}

describe('validate', () => {
  test('400 missing_parameter: names all that are absent, and checks nothing that is present', () => {
    expect(complaintOf(() => validate(Body, { ids: 'x' }))).toEqual({
      error: 'missing_parameter',
      errors: { name: 'The name must not be empty.', kind: 'The kind must not be empty.' },
    });
  });

  test.each(['', null, undefined])('400 missing_parameter: a required field sent as %p', (name) => {
    expect(complaintOf(() => validate(Body, { name, kind: 'a' }))?.errors).toEqual({
      name: 'The name must not be empty.',
    });
  });

  test('422 invalid_input: one sentence a field, nested names with dots', () => {
    expect(complaintOf(() => validate(Body, { name: 'longer', kind: 'c', ids: ['1', 'x'] }))).toEqual({
      error: 'invalid_input',
      errors: {
        name: 'The name must be at most 5 characters.',
        kind: 'The kind must be one of a, b.',
        'ids.1': expect.stringMatching(/^The ids\.1 .+\.$/) as unknown,
      },
    });
  });

  test('unknown fields do not pass, an empty optional one is absent', () => {
    expect(validate(Body, { name: 'x', kind: 'a', ids: '', role: 'merchant' })).toEqual({ name: 'x', kind: 'a' });
  });
});

describe('validate with a field that has an alias', () => {
  const Labelled = z.object({ name: formText(), label: formAlias('old_label', formBool()) });

  test.each([
    [{ label: '0' }, false],
    [{ old_label: '0' }, false],
    [{ label: '', old_label: '1' }, true],
    [{ label: null, old_label: 1 }, true],
    [{ label: '1', old_label: '0' }, true],
    [{ label: '1', old_label: 'perhaps' }, true],
  ])('%j', (sent, label) => expect(validate(Labelled, { name: 'x', ...sent })).toEqual({ name: 'x', label }));

  test('400 missing_parameter: under neither name, beside what else is absent', () => {
    expect(complaintOf(() => validate(Labelled, { old_label: '' }))?.errors).toEqual({
      name: 'The name must not be empty.',
      label: 'The label must not be empty.',
    });
  });

  test('422 invalid_input: a bad value under the alias', () => {
    const { error, errors = {} } = complaintOf(() => validate(Labelled, { name: 'x', old_label: 'perhaps' })) ?? {};
    expect([error, Object.keys(errors)]).toEqual(['invalid_input', ['label']]);
  });
});
