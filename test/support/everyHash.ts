/** In the files that import this, each password is hashed anew: see `rememberedHashes.mjs`. */
process.env['TEST_EVERY_HASH'] = '1';
