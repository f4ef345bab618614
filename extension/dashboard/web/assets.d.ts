/** Style sheets, which the bundler gathers in one file. */
declare module '*.css'
