import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'settings-wrong',
    path: '/settings',
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
      await page.locator('input[data-field=approvalDays]').fill('400');
      await page.locator('form button[type=submit]').click();
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
  },
];

export default pages;
