import { isCommonPassword } from '../../src/kit/commonPasswords';

test.each(
  `password 12345678 123456789 1234567890 qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx zaq12wsx iloveyou sunshine princess
  football baseball superman batman123 trustno1 passw0rd P@ssw0rd p@$$w0rd Password1! password123 11111111 00000000
  88888888 12341234 abcd1234 abc12345 asdfghjk asdf1234 qazwsxedc 87654321 987654321 michael1 jennifer jessica1 starwars
  computer corvette mercedes maverick whatever welcome1 Welcome2024! admin123 letmein1 changeme monkey123 dragon12
  shadow123 master12 charlie1 liverpool arsenal1 chelsea1 barcelona juventus pokemon1 naruto123 minecraft jordan23
  michelle danielle victoria elizabeth alexander blink182 metallica slipknot qwertyui zxcvbnm1 zxcvbnm, 1234qwer
  qwer1234 q1w2e3r4 aa123456 a1b2c3d4 19841984 01011990 19900101 31.12.1999 aaaaaaaa abcabcabc 123123123 112233445566
  testtest passpass lovelove fuckyou1 asshole1 samsung1 internet summer2023 Winter2025! january1 football1 myspace1
  !password! 123password loveyou123 secret123 ABCDEFGH hgfedcba qwertzui azertyui 1111111a
  Hallo1234 contraseña Contraseña1 ¡tequiero! jetaime1 schatz123 ichliebedich fußball1 fussball galatasaray Fenerbahçe1907
  paywall123 subscription Premium2025 alejandro1 Müller123 kochanie1`.split(/\s+/),
)('refused: %s', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each([
  'correct-horse-battery',
  'correct-horse',
  'staple-of-batteries',
  'tr0ub4dor&3x',
  'kH7#pq2LzW',
  'mellow tangerine fog',
  'приятный-вечер-вдвоём',
  'ladder.otter.prism',
  'sunflower dragon',
  'schatzkarte im sommerregen',
  'premium-tangerine',
])('taken: %s', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});

test('the list is long: thousands of words with what people put behind them, in any spelling', () => {
  const endings = ['', '1', '12', '123', '1234', '01', '!', '1!', '123!', '2024', '007', '69'];
  const words = ['password', 'princess', 'football', 'sunshine', 'michael', 'mustang', 'pokemon', 'ferrari'];
  for (const word of words)
    for (const ending of endings) {
      const password = `${word}${ending}`;
      for (const spelling of [password, password.toUpperCase(), password.replaceAll('o', '0').replaceAll('a', '@')])
        if (spelling.length >= 8) expect([spelling, isCommonPassword(spelling)]).toEqual([spelling, true]);
    }
});
