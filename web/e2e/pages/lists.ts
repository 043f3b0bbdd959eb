import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'keys',
    path: '/orders',
    reach: async (page) => {
      await page.locator('h1').click();
      await page.keyboard.press('?');
      await page.getByRole('dialog').locator('kbd').first().waitFor();
    },
  },
  {
    name: 'views',
    path: '/orders?status=pending',
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Views|视图)$/ }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  },
];

export default pages;
