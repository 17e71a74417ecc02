import { itemCountrySet } from '../../support/itemCountrySet';

const given = itemCountrySet('PUT');

test('200: the set stands in for the global sets of the item, and takes the place of the one before', () =>
  given.standsInForGlobalSets());

test('200: again changes nothing', () => given.changesNothingAgain());

test('404 country_set_not_found: another merchant’s set', () => given.refusesAnothersSet());

test('404 item_not_found: another merchant’s item', () => given.refusesAnothersItem());
