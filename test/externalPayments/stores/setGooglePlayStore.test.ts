import { storeSetUp } from '../../support/storeSetUp';

const googlePlay = storeSetUp('google-play', 'package_name');

test('200: the store is set up, and no secret is answered', () => googlePlay.answersNoSecret());

test('200: it lies sealed in the database, and what was there before is gone', () => googlePlay.liesSealed());

test('200: the audit log tells who did it', () => googlePlay.isAudited());

test('422 invalid_input: a field that cannot be right', () => googlePlay.refuses({ private_key: 'not a key' }));
