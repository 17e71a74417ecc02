import { AppError } from '../../../src/kit/errors';
import { type Language, languages } from '../../../src/kit/languages';
import { explain } from '../../../src/pages/layout/explain';
import { locales, textsFor } from '../../../src/pages/layout/texts';

const explained = (language: Language, error: AppError) => explain(textsFor({ languages: [language] }), error);

test.each(languages.filter((language) => language !== 'en'))(
  '%s: a refusal without a text of its own and without a field does not ask to check a value',
  (language) => {
    const message = locales[language].errors.refused;
    expect(explained(language, new AppError('gift_used'))).toEqual({ message, fields: {} });
  },
);

test('de: a refusal of a field asks to check the value', () => {
  const error = new AppError('invalid_input', { errors: { title: 'The title is not what it was.' } });
  const message = locales.de.errors.invalid;
  expect(explained('de', error)).toEqual({ message, fields: { title: message } });
});

test('de: an error with a text of its own has it', () => {
  expect(explained('de', new AppError('not_found')).message).toBe(locales.de.errors.not_found);
});
