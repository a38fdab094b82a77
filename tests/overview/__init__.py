"""Tests of the model behind lists, figures and pages."""
