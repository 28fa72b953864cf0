/** Tests of the tools behind {@code dev/}, and of what the README says. */
package dev.calve.tools;
